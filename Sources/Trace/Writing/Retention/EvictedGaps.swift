internal import Storage
internal import Wire

/// The gap rows for evicted bytes.
final class EvictedGaps {
    private let sums: Statement
    private let closing: Statement
    private let grow: Statement
    private let insert: Insertion<GapRow>
    private let session: Statement

    init(_ db: Connection) throws(StorageFault) {
        sums = try db.prepare(
            """
            SELECT sender, count(*), sum(length(bytes)), min(at_ns), max(at_ns), min(id)
            FROM chunk WHERE \(Trimming.range)
            GROUP BY sender
            """)
        closing = try db.prepare(
            """
            SELECT sender, sum(chunks), sum(bytes), min(at_ns), max(until_ns),
              sum(chunks * fresh), sum(bytes * fresh)
            FROM (
              SELECT sender, count(*) AS chunks, sum(length(bytes)) AS bytes,
                     min(at_ns) AS at_ns, max(at_ns) AS until_ns, 1 AS fresh
                FROM chunk WHERE connection_id = ?1 GROUP BY sender
              UNION ALL
              SELECT sender, chunks, bytes, at_ns, until_ns, 0
                FROM gap WHERE connection_id = ?1 AND reason = 'evicted')
            GROUP BY sender
            """)
        grow = try db.prepare(
            """
            UPDATE gap SET at_ns = min(at_ns, ?4), until_ns = max(until_ns, ?5),
              bytes = bytes + ?6, chunks = chunks + ?7
            WHERE connection_id IS ?2 AND session_id = ?1 AND sender = ?3 AND reason = 'evicted'
            """)
        insert = try Insertion(Tables.gap, db)
        session = try db.prepare("SELECT session_id FROM connection WHERE id = ?")
    }

    /// Counts the chunks of a connection between two others, which are about to be deleted, apart
    /// from those that an exchange begins in.
    ///
    /// `after` is the last chunk that stays before them and `before` the first that stays after.
    func count(
        _ connection: Int64, after: Int64, before: Int64, _ position: inout WritePosition
    ) throws(StorageFault) -> Retention.Amount {
        sums.bind(1, connection)
        sums.bind(2, after)
        sums.bind(3, before)
        var amount = Retention.Amount()
        while try sums.step() {
            amount.chunks += sums.integer(1)
            amount.bytes += sums.integer(2)
            try add(
                session: try session(of: connection), connection: connection, sums,
                after: after, &position)
        }
        return amount
    }

    /// Counts a connection that is about to be deleted as a whole, with its earlier losses.
    func close(
        _ connection: Int64, _ position: inout WritePosition
    ) throws(StorageFault)
        -> Retention.Amount
    {
        closing.bind(1, connection)
        var amount = Retention.Amount()
        while try closing.step() {
            // Earlier evictions were already counted.
            amount.chunks += closing.integer(5)
            amount.bytes += closing.integer(6)
            try add(
                session: try session(of: connection), connection: nil, closing, after: 0,
                &position)
        }
        return amount
    }

    private func add(
        session: Int64, connection: Int64?, _ row: Statement, after: Int64,
        _ position: inout WritePosition
    ) throws(StorageFault) {
        grow.bind(1, session)
        grow.bind(2, connection)
        grow.bind(3, row.integer(0))
        grow.bind(4, row.integer(3))
        grow.bind(5, row.integer(4))
        grow.bind(6, row.integer(2))
        grow.bind(7, row.integer(1))
        try grow.run()
        if grow.connection.changes > 0 { return }
        var context = RowContext(id: Counters.take(&position.counters.gap), session: session)
        context.lastChunk = after
        try insert.run(
            GapRow(
                connection: connection.map { ConnectionID($0) }, leg: nil,
                sender: row.peer(0), at: row.instant(3), until: row.instant(4),
                count: row.integer(2), chunks: row.integer(1), reason: .evicted), context)
    }

    private func session(of connection: Int64) throws(StorageFault) -> Int64 {
        session.bind(1, connection)
        defer { session.reset() }
        return try session.step() ? session.integer(0) : 0
    }
}
