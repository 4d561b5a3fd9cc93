internal import CSQLite

/// Rows that wait in memory until one statement writes them all.
///
/// A statement that is run for each row binds each value, and opens its table and looks for the place
/// of the row anew, which is a third of what it takes to write a small one. This one takes the rows from
/// a virtual table, see ``WaitingRows``.
package final class RowBuffer {
    /// The maximum number of rows that wait.
    private static let mostRows = 64
    /// Number of copied bytes at which no further row waits.
    private static let enoughBytes = 64 << 10
    /// Number of bytes of a value from which on it is lent and not copied.
    package static let worthLending = 2_048

    private let connection: Connection
    private let table: WaitingRows
    private let statement: Statement
    private let cells: UnsafeMutablePointer<tapedeck_cell>

    // Safety of all that follows: SQLite, which reads them while the statement runs, changes none, and
    // nothing else is called from here.

    /// Number of values so far, also of the row in progress.
    @exclusivity(unchecked) private var filled = 0
    @exclusivity(unchecked) private var bytes: [UInt8] = []
    @exclusivity(unchecked) private var hasLent = false
    /// Number of rows that wait.
    @exclusivity(unchecked) private var count = 0
    /// Number of rows that the statement left out, as it may have it of those whose number is taken.
    @exclusivity(unchecked) package private(set) var leftOut: Int64 = 0

    /// A buffer of rows for one statement.
    ///
    /// - Parameters:
    ///   - connection: Where it runs.
    ///   - width: Number of columns.
    ///   - sql: The statement, which takes the rows from the table of the given name.
    /// - Throws: ``StorageFault`` where the statement is none of this database.
    package init(
        _ connection: Connection, width: Int, sql: (_ table: String) -> String
    ) throws(StorageFault) {
        self.connection = connection
        table = try WaitingRows(connection, width: width)
        statement = try connection.prepare(sql(table.statementName))
        cells = .allocate(capacity: Self.mostRows * width)
    }

    deinit { cells.deallocate() }

    /// Adds a number to the row in progress.
    package func put(_ number: Int64) { add(WaitingRows.number, number, 0) }

    /// Adds a null.
    package func putNull() { add(WaitingRows.null, 0, 0) }

    /// Adds a text.
    package func put(_ text: String) {
        var text = text
        text.withUTF8 { put(copying: UnsafeRawBufferPointer($0), asText: true) }
    }

    /// Adds bytes, which are copied.
    package func put(copying value: UnsafeRawBufferPointer, asText: Bool) {
        add(asText ? WaitingRows.text : WaitingRows.blob, Int64(bytes.count), Int64(value.count))
        bytes.append(contentsOf: value)
    }

    /// Adds bytes that stay where they are until ``flush()``, which has to be called before the next
    /// row.
    package func put(lent value: UnsafeRawBufferPointer, asText: Bool) {
        hasLent = true
        add(
            asText ? WaitingRows.lentText : WaitingRows.lentBlob,
            Int64(Int(bitPattern: value.baseAddress)), Int64(value.count))
    }

    private func add(_ kind: Int64, _ number: Int64, _ count: Int64) {
        precondition(filled < Self.mostRows * table.width, "a row has more values than columns")
        (cells + filled).initialize(to: tapedeck_cell(number: number, count: count, kind: kind))
        filled += 1
    }

    /// Ends the row in progress, which has a value for each column.
    ///
    /// - Returns: Whether no further row has room.
    package func endRow() -> Bool {
        count += 1
        precondition(filled == count * table.width, "a row has a value for each column")
        return hasLent || count == Self.mostRows || bytes.count >= Self.enoughBytes
    }

    /// Writes the rows that wait.
    ///
    /// - Throws: ``StorageFault`` where the statement fails; none of them waits then.
    package func flush() throws(StorageFault) {
        guard count > 0 else { return }
        defer { discard() }
        try bytes.withUnsafeBufferPointer { raw throws(StorageFault) in
            table.lend(cells, raw, count)
            defer { table.lend(nil, raw, 0) }
            try statement.run()
        }
        leftOut += Int64(count) - connection.changes
    }

    /// Forgets the rows that wait.
    package func discard() {
        filled = 0
        count = 0
        hasLent = false
        bytes.removeAll(keepingCapacity: bytes.capacity <= 4 * Self.enoughBytes)
    }
}
