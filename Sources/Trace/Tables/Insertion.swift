internal import Storage

/// Writes rows of a table, in one prepared statement.
final class Insertion<Row: Sendable> {
    let rows: RowBuffer
    private let sources: [Column<Row>.Source]

    init(_ table: Table<Row>, _ db: Connection) throws(StorageFault) {
        rows = try RowBuffer(db, width: table.columns.count, sql: table.insertion(from:))
        sources = table.columns.map(\.source)
    }

    /// Writes `row`.
    func run(_ row: Row, _ context: RowContext = RowContext()) throws(StorageFault) {
        try add(row, context)
        try flush()
    }

    /// Writes `row` with some that follow, at the latest with ``flush()``.
    func add(_ row: Row, _ context: RowContext = RowContext()) throws(StorageFault) {
        try add(row, context, from: 0)
    }

    /// Writes the rows that wait.
    func flush() throws(StorageFault) { try rows.flush() }

    /// Recurses while bytes are lent, since they must not move until they are written.
    private func add(
        _ row: Row, _ context: RowContext, from start: Int
    ) throws(StorageFault) {
        for index in start..<sources.count {
            switch sources[index] {
            case .value(let put): put(row, rows)
            case .given(let given): rows.put(given.number(context))
            case .bytes(let bytes, let isText):
                guard let value = bytes(row) else {
                    rows.putNull()
                    continue
                }
                let isLent = value.count >= RowBuffer.worthLending
                try value.span.withUnsafeBytes { raw throws(StorageFault) in
                    guard isLent else { return rows.put(copying: raw, asText: isText(row)) }
                    rows.put(lent: raw, asText: isText(row))
                    try add(row, context, from: index + 1)
                }
                if isLent { return }
            }
        }
        if rows.endRow() { try flush() }
    }
}
