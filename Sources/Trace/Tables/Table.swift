internal import Storage

/// A table of the trace.
///
/// The one place where its columns are listed: the SQL that makes it with its documentation, the
/// statement that writes a row, the way of a row into that and out of a query, and its columns in
/// recordings, exports and JSON are all made from this value.
package struct Table<Row: Sendable>: Sendable {
    /// The handling of a row whose key exists.
    enum Conflict: Sendable {
        /// The statement fails.
        case fail
        /// The row is left out.
        case ignore
        /// The row replaces the old one.
        case replace
        /// Of a row that belongs to one side these columns are updated; others are left out.
        case revise([String])
        /// The old row is updated to the new one, apart from the columns `keeping`.
        case update(keeping: Set<String>)
    }

    /// Its definition.
    package let definition: TableDefinition
    let columns: [Column<Row>]
    /// A row into which a stored one is read.
    package let blank: Row
    /// What puts the columns of a statement into a row, apart from those that a row does not have:
    /// beside each other, since copying a whole column costs more than reading its value.
    private let readers: [(place: Int32, read: @Sendable (inout Row, Statement, Int32) -> Void)]
    /// SQL that writes a row.
    let insertion: String

    init(
        _ name: String, _ comment: String, blank: Row, counter: String? = nil,
        onConflict conflict: Conflict = .fail, nameWidth: Int? = nil, indexes: [String] = [],
        _ columns: [Column<Row>]
    ) {
        self.blank = blank
        self.columns = columns
        readers = columns.enumerated().compactMap { place, column in
            column.read.map { (Int32(place), $0) }
        }
        definition = TableDefinition(
            name: name, comment: comment, columns: columns.map(\.definition),
            counter: counter, nameWidth: nameWidth, indexes: indexes)
        insertion =
            switch conflict {
            case .fail: definition.insertion()
            case .ignore: definition.insertion("OR IGNORE ")
            case .replace: definition.insertion("OR REPLACE ")
            case .revise(let columns):
                definition.insertion() + " ON CONFLICT(id) DO UPDATE SET "
                    + columns.map { "\"\($0)\" = excluded.\"\($0)\"" }.joined(separator: ", ")
                    + " WHERE \(name).side <> 'both'"
            case .update(let kept):
                definition.insertion() + " ON CONFLICT(id) DO UPDATE SET "
                    + definition.columns.filter { !kept.contains($0.name) }
                    .map { "\"\($0.name)\" = excluded.\"\($0.name)\"" }.joined(separator: ", ")
            }
    }

    /// Number of its columns.
    var width: Int32 { Int32(columns.count) }

    /// The row of `SELECT * FROM` this table, whose columns begin at `first`.
    func row(_ statement: Statement, from first: Int32 = 0) -> Row {
        var row = blank
        for reader in readers { reader.read(&row, statement, first + reader.place) }
        return row
    }

    /// The columns of these names, which have blanks between them, as a bit for each place.
    func columns(of names: String) -> UInt64 {
        let names = Set(names.split(separator: " ").map(String.init))
        return columns.indices.reduce(0) { set, place in
            names.contains(columns[place].definition.name) ? set | 1 << UInt64(place) : set
        }
    }

    /// The same row with these columns alone, for rows of which millions are read.
    func row(_ statement: Statement, from first: Int32, only set: UInt64) -> Row {
        var row = blank
        for reader in readers where set & (1 << UInt64(reader.place)) != 0 {
            reader.read(&row, statement, first + reader.place)
        }
        return row
    }

    /// The row of stored values, one for each column.
    package func row(_ values: [StoredValue]) -> Row {
        var row = blank
        for (column, value) in zip(columns, values) { column.take?(&row, value) }
        return row
    }
}

/// Writes rows of a table, in one prepared statement.
final class Insertion<Row: Sendable> {
    private let statement: Statement
    private let sources: [Column<Row>.Source]

    init(_ table: Table<Row>, _ db: Connection) throws(StorageFault) {
        statement = try db.prepare(table.insertion)
        statement.bindsAllForEachRun()
        sources = table.columns.map(\.source)
    }

    /// Writes `row`.
    func run(_ row: Row, _ context: RowContext = RowContext()) throws(StorageFault) {
        try run(row, context, from: 0)
    }

    /// Recurses while bytes are borrowed, since they must not move until the end.
    private func run(
        _ row: Row, _ context: RowContext, from start: Int
    ) throws(StorageFault) {
        for index in start..<sources.count {
            let place = Int32(index + 1)
            switch sources[index] {
            case .value(let bind): bind(row, statement, place)
            case .given(let given): statement.bind(place, given.number(context))
            case .bytes(let bytes, let isText):
                guard let lent = bytes(row) else {
                    statement.bindNull(place)
                    continue
                }
                try lent.span.withUnsafeBytes { raw throws(StorageFault) in
                    statement.bind(place, borrowed: raw, asText: isText(row))
                    try run(row, context, from: index + 1)
                }
                return
            }
        }
        try statement.run()
    }
}
