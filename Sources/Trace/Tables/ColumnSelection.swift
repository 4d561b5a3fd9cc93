internal import Storage

/// Some columns of a table in another order, for views and for listings.
package struct ColumnSelection<Row: Sendable>: Sendable {
    private let columns: [Column<Row>]
    private let blank: Row

    fileprivate init(columns: [Column<Row>], blank: Row) {
        self.columns = columns
        self.blank = blank
    }

    /// The number of columns.
    var count: Int32 { Int32(columns.count) }

    /// The columns as SQL has them, each after `prefix`.
    func sql(_ prefix: String = "") -> String {
        columns.map { prefix + $0.definition.quotedName }.joined(separator: ", ")
    }

    /// The row of a query that has these columns from `first` on.
    func row(_ statement: Statement, from first: Int32 = 0) -> Row {
        var row = blank
        var place = first
        for column in columns {
            column.read?(&row, statement, place)
            place += 1
        }
        return row
    }

    /// Passes on each column with its value in `row`.
    package func forEach(
        _ row: Row, _ context: RowContext = RowContext(),
        _ body: (ColumnDefinition, ShownValue) -> Void
    ) {
        for column in columns {
            body(
                column.definition,
                ShownValue(column.stored(row, context), in: column.definition.content))
        }
    }
}

/// A value of a column as readers receive it.
package enum ShownValue: Hashable, Sendable {
    /// Nothing.
    case null
    /// A number.
    case number(Int64)
    /// Text, or the name that a number stands for.
    case text(String)
    /// Bytes that are not text.
    case bytes([UInt8])

    init(_ value: StoredValue, in content: ColumnContent) {
        switch (value, content) {
        case (.number(let number), .word(let words)) where words.indices.contains(Int(number)):
            self = .text(words[Int(number)])
        case (.number(let number), _): self = .number(number)
        case (.text(let bytes), _): self = .text(String(decoding: bytes, as: UTF8.self))
        case (.bytes(let bytes), _): self = .bytes(bytes)
        case (.null, _): self = .null
        }
    }
}

extension Table {
    /// The columns of these names, which have blanks between them; those that the table does not
    /// have are left out.
    package func select(_ names: String) -> ColumnSelection<Row> {
        ColumnSelection(
            columns: names.split(separator: " ").compactMap { name in
                columns.first { $0.definition.name == name }
            }, blank: blank)
    }
}
