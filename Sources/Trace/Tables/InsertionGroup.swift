internal import Storage

/// The tables whose rows are written together: all that wait are, or none is.
struct InsertionGroup {
    private let db: Connection
    private var buffers: [RowBuffer] = []

    /// Rows that were left out because their number was taken.
    var leftOut: Int64 { buffers.reduce(0) { $0 + $1.leftOut } }

    init(_ db: Connection) { self.db = db }

    /// What writes the rows of `table`.
    mutating func insertion<Row>(_ table: Table<Row>) throws(StorageFault) -> Insertion<Row> {
        let insertion = try Insertion(table, db)
        buffers.append(insertion.rows)
        return insertion
    }

    /// Writes the rows that wait.
    func flush() throws(StorageFault) { for buffer in buffers { try buffer.flush() } }

    /// Forgets the rows that wait.
    func discard() { for buffer in buffers { buffer.discard() } }
}
