internal import Storage

/// Some columns of a table in another order, for views and for listings.
package struct ColumnSelection<Row: Sendable>: Sendable {
    private let columns: [Column<Row>]
    private let blank: Row
    // Beside each other, since copying a whole column costs more than its value.
    private let readers: [(place: Int32, read: @Sendable (inout Row, Statement, Int32) -> Void)]
    private let shown: [(name: String, value: @Sendable (Row, RowContext) -> ShownValue)]

    fileprivate init(columns: [Column<Row>], blank: Row) {
        self.columns = columns
        self.blank = blank
        readers = columns.enumerated().compactMap { place, column in
            column.read.map { (Int32(place), $0) }
        }
        shown = columns.map { ($0.definition.name, $0.shown) }
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
        for reader in readers { reader.read(&row, statement, first + reader.place) }
        return row
    }

    /// Passes on the name of each column with its value in `row`.
    package func forEach(
        _ row: Row, _ context: RowContext = RowContext(), _ body: (String, ShownValue) -> Void
    ) {
        for column in shown { body(column.name, column.value(row, context)) }
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
