internal import Storage

/// The values of a row that its Swift value does not have: numbers that the writer assigns.
package struct RowContext: Sendable {
    /// Number of the row, where its value has none.
    package var id: Int64 = 0
    /// Number of the session.
    package var session: Int64 = 0
    /// Number of the row that it belongs to.
    package var owner: Int64 = 0
    /// The last chunk before it.
    var lastChunk: Int64 = 0
    /// Order among the rows after that chunk.
    var step: Int64 = 0

    /// A context of a row of `session`.
    package init(id: Int64 = 0, session: Int64 = 0, owner: Int64 = 0) {
        self.id = id
        self.session = session
        self.owner = owner
    }
}

/// One column of a table, with the way of its value from a Swift row into SQLite and back.
struct Column<Row: Sendable>: Sendable {
    /// A number of ``RowContext``.
    enum Given: Sendable {
        case id, session, owner, lastChunk, step

        func number(_ context: RowContext) -> Int64 {
            switch self {
            case .id: context.id
            case .session: context.session
            case .owner: context.owner
            case .lastChunk: context.lastChunk
            case .step: context.step
            }
        }
    }

    /// The source of the value.
    enum Source: Sendable {
        /// A small value.
        case value(@Sendable (Row, RowBuffer) -> Void)
        /// Bytes, which are not copied where they are many; null for nil.
        case bytes(@Sendable (Row) -> [UInt8]?, isText: @Sendable (Row) -> Bool)
        /// A number that the writer assigns.
        case given(Given)
    }

    let definition: ColumnDefinition
    let source: Source
    /// The value as it is stored.
    let stored: @Sendable (Row, RowContext) -> StoredValue
    /// The value as readers receive it.
    let shown: @Sendable (Row, RowContext) -> ShownValue
    /// Puts the value of a column of a statement into a row; nil where a row does not have it.
    let read: (@Sendable (inout Row, Statement, Int32) -> Void)?
    /// Puts a stored value into a row.
    let take: (@Sendable (inout Row, StoredValue) -> Void)?
}

extension Column {
    /// A column that holds a property of the row.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - comment: Its meaning.
    ///   - get: The property, read when a row is written: as a function, which the compiler turns into
    ///     a plain access. A key path costs hundreds of instructions for each column of each row.
    ///   - path: The property, set when a row is read; found once, see ``setter(_:)``.
    ///   - constraint: Follows its type.
    /// - Returns: The column.
    static func value<Value: ColumnType>(
        _ name: String, _ comment: String, _ get: @escaping @Sendable (Row) -> Value,
        _ path: any WritableKeyPath<Row, Value> & Sendable, constraint: String = ""
    ) -> Column {
        let set = setter(path)
        return Column(
            definition: ColumnDefinition(
                name: name, declaration: Value.declaration + constraint, comment: comment,
                content: Value.content),
            source: .value { row, rows in get(row).put(into: rows) },
            stored: { row, _ in get(row).stored }, shown: { row, _ in get(row).shown },
            read: { row, statement, column in set(&row, Value.read(statement, column)) },
            take: { row, value in set(&row, Value(stored: value)) })
    }

    /// What sets a property: at its place in the row, where it is stored there, since millions of
    /// values are read and a key path costs far more than a value.
    private static func setter<Value>(
        _ path: any WritableKeyPath<Row, Value> & Sendable
    ) -> @Sendable (inout Row, Value) -> Void {
        guard let offset = MemoryLayout<Row>.offset(of: path) else {
            return { row, value in row[keyPath: path] = value }
        }
        return { row, value in
            withUnsafeMutableBytes(of: &row) { bytes in
                // Safety: the property of this type is stored at this offset of every row.
                guard let start = bytes.baseAddress else { return }
                (start + offset).assumingMemoryBound(to: Value.self).pointee = value
            }
        }
    }

    /// The key of a table, which is a property of the row.
    static func key<Value: ColumnType>(
        _ name: String, _ comment: String, _ get: @escaping @Sendable (Row) -> Value,
        _ path: any WritableKeyPath<Row, Value> & Sendable
    ) -> Column {
        let column = value(name, comment, get, path)
        var definition = column.definition
        definition.declaration = keyDeclaration
        definition.content = .number(least: 1)
        return Column(
            definition: definition, source: column.source, stored: column.stored,
            shown: column.shown, read: column.read, take: column.take)
    }

    /// The key of a table, which follows from other properties of the row.
    static func key(_ comment: String, _ number: @escaping @Sendable (Row) -> Int64) -> Column {
        Column(
            definition: ColumnDefinition(
                name: "id", declaration: keyDeclaration, comment: comment,
                content: .number(least: 1)),
            source: .value { row, rows in rows.put(number(row)) },
            stored: { row, _ in .number(number(row)) },
            shown: { row, _ in .number(number(row)) }, read: nil, take: nil)
    }

    private static var keyDeclaration: String { "INTEGER PRIMARY KEY" }

    /// A column that follows from other properties of the row.
    static func made<Value: ColumnType>(
        _ name: String, _ comment: String, _ value: @escaping @Sendable (Row) -> Value,
        read: (@Sendable (inout Row, Value) -> Void)? = nil
    ) -> Column {
        var fromStatement: (@Sendable (inout Row, Statement, Int32) -> Void)?
        var fromStored: (@Sendable (inout Row, StoredValue) -> Void)?
        if let read {
            fromStatement = { row, statement, column in
                read(&row, Value.read(statement, column))
            }
            fromStored = { row, stored in read(&row, Value(stored: stored)) }
        }
        return Column(
            definition: ColumnDefinition(
                name: name, declaration: Value.declaration, comment: comment,
                content: Value.content),
            source: .value { row, rows in value(row).put(into: rows) },
            stored: { row, _ in value(row).stored }, shown: { row, _ in value(row).shown },
            read: fromStatement, take: fromStored)
    }

    /// A column of a number that the writer assigns; `constraint` follows its type.
    static func given(
        _ name: String, _ comment: String, _ given: Given, isKey: Bool = false,
        constraint: String = ""
    ) -> Column {
        let isCount = given == .lastChunk || given == .step
        return Column(
            definition: ColumnDefinition(
                name: name, declaration: isKey ? keyDeclaration : "INTEGER NOT NULL" + constraint,
                comment: comment, content: .number(least: isCount ? 0 : 1)),
            source: .given(given), stored: { _, context in .number(given.number(context)) },
            shown: { _, context in .number(given.number(context)) }, read: nil, take: nil)
    }

    /// A column of bytes, which are a property of the row.
    static func bytes(
        _ name: String, _ comment: String, _ get: @escaping @Sendable (Row) -> [UInt8],
        _ path: any WritableKeyPath<Row, [UInt8]> & Sendable
    ) -> Column {
        let set = setter(path)
        return bytes(
            name, "BLOB NOT NULL", comment, { get($0) },
            read: { row, bytes, _ in set(&row, bytes) })
    }

    /// A column of bytes; null for nil.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - declaration: Its type and constraints.
    ///   - comment: Its meaning.
    ///   - bytes: The bytes of a row.
    ///   - isText: Whether they are text.
    ///   - read: Puts bytes into a row, and whether they were text.
    /// - Returns: The column.
    static func bytes(
        _ name: String, _ declaration: String, _ comment: String,
        _ bytes: @escaping @Sendable (Row) -> [UInt8]?,
        isText: @escaping @Sendable (Row) -> Bool = { _ in false },
        read: (@Sendable (inout Row, [UInt8], _ isText: Bool) -> Void)? = nil
    ) -> Column {
        var fromStatement: (@Sendable (inout Row, Statement, Int32) -> Void)?
        var fromStored: (@Sendable (inout Row, StoredValue) -> Void)?
        if let read {
            fromStatement = { row, statement, column in
                guard !statement.isNull(column) else { return }
                read(&row, statement.bytes(column), statement.isText(column))
            }
            fromStored = { row, stored in
                switch stored {
                case .text(let bytes): read(&row, bytes, true)
                case .bytes(let bytes): read(&row, bytes, false)
                case .null, .number: break
                }
            }
        }
        return Column(
            definition: ColumnDefinition(
                name: name, declaration: declaration, comment: comment,
                content: declaration.hasPrefix("TEXT") ? .text : .bytes),
            source: .bytes(bytes, isText: isText),
            stored: { row, _ in
                guard let bytes = bytes(row) else { return .null }
                return isText(row) ? .text(bytes) : .bytes(bytes)
            },
            shown: { row, _ in
                guard let bytes = bytes(row) else { return .null }
                return isText(row) ? .text(String(decoding: bytes, as: UTF8.self)) : .bytes(bytes)
            },
            read: fromStatement, take: fromStored)
    }
}
