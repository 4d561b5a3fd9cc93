/// Lets the oldest of a connection that still lives go.
final class Trimming {
    private let deletion: Deletion
    private let gaps: LetGoGaps
    private let opening: Statement
    private let known: Statement
    private let exchanges: Statement
    private let lastExchange: Statement
    private let messages: Statement
    private let byRange: [Statement]

    init(_ db: Connection, deletion: Deletion, gaps: LetGoGaps) throws(StorageFault) {
        self.deletion = deletion
        self.gaps = gaps
        known = try db.prepare(
            """
            SELECT max(after_chunk_id) FROM gap WHERE connection_id = ? AND reason = 'let-go'
            """)
        // The chunks that open a WebSocket or a tunnel end where the first message or the first
        // exchange in the tunnel begins; that place itself stays where it shares a chunk with them.
        opening = try db.prepare(
            """
            SELECT coalesce(max(id), 0) FROM chunk WHERE connection_id = ?1 AND id < (
              SELECT min(first) FROM (
                SELECT min(chunk_id) AS first FROM message WHERE connection_id = ?1
                UNION ALL
                SELECT min(request_chunk_id) FROM http_exchange WHERE connection_id = ?1
                  AND method <> 'CONNECT' AND status IS NOT 101))
            """)
        exchanges = try db.prepare(
            """
            SELECT id FROM http_exchange WHERE connection_id = ?1 AND request_chunk_id <= ?2
              AND outcome <> 'open' AND method <> 'CONNECT' AND status IS NOT 101
              AND id < (SELECT max(id) FROM http_exchange WHERE connection_id = ?1)
            """)
        lastExchange = try db.prepare(
            """
            SELECT request_chunk_id FROM http_exchange
            WHERE connection_id = ?1 AND outcome <> 'open' AND method <> 'CONNECT'
              AND status IS NOT 101
              AND id = (SELECT max(id) FROM http_exchange WHERE connection_id = ?1)
            """)
        messages = try db.prepare(
            "SELECT id FROM message WHERE connection_id = ?1 AND chunk_id <= ?2")
        let range = """
            connection_id = ?1 AND id > ?2 AND id < ?3
              AND id NOT IN (SELECT request_chunk_id FROM http_exchange WHERE connection_id = ?1)
              AND id NOT IN (SELECT response_chunk_id FROM http_exchange
                             WHERE connection_id = ?1 AND response_chunk_id IS NOT NULL)
            """
        var prepared: [Statement] = []
        for sql in [
            "DELETE FROM patch WHERE chunk_id IN (SELECT id FROM chunk WHERE \(range))",
            "DELETE FROM fault_statement WHERE chunk_id IN (SELECT id FROM chunk WHERE \(range))",
            "DELETE FROM finding_statement WHERE chunk_id IN (SELECT id FROM chunk WHERE \(range))",
            "DELETE FROM note WHERE connection_id = ?1 AND chunk_id > ?2 AND chunk_id < ?3",
            "DELETE FROM chunk WHERE \(range)",
        ] {
            prepared.append(try db.prepare(sql))
        }
        byRange = prepared
    }

    /// Lets go what of `connection` is not later than the chunk `line`.
    func trim(
        _ connection: Int64, upto line: Int64, _ position: inout WritePosition
    )
        throws(StorageFault) -> LettingGo.Amount
    {
        var after = try first(known, connection)
        if after == nil { after = try first(opening, connection) }
        return try trim(connection, after: after ?? 0, upto: line, &position)
    }

    private func trim(
        _ connection: Int64, after: Int64, upto line: Int64, _ position: inout WritePosition
    ) throws(StorageFault) -> LettingGo.Amount {
        for exchange in try list(exchanges, connection, line) {
            try deletion.exchange(exchange)
        }
        for message in try list(messages, connection, line) { try deletion.message(message) }
        // The last response may reach beyond the line, and nothing tells where it ends.
        let last = try first(lastExchange, connection)
        let before = min(line + 1, last ?? .max)
        guard before > after + 1 else { return LettingGo.Amount() }
        let amount = try gaps.count(connection, after: after, before: before, &position)
        for statement in byRange {
            statement.bind(1, connection)
            statement.bind(2, after)
            statement.bind(3, before)
            try statement.run()
        }
        return amount
    }

    private func first(_ statement: Statement, _ connection: Int64) throws(StorageFault) -> Int64? {
        statement.bind(1, connection)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        return statement.optionalInteger(0)
    }

    private func list(
        _ statement: Statement, _ connection: Int64, _ line: Int64
    )
        throws(StorageFault) -> [Int64]
    {
        statement.bind(1, connection)
        statement.bind(2, line)
        var ids: [Int64] = []
        while try statement.step() { ids.append(statement.integer(0)) }
        return ids
    }
}
