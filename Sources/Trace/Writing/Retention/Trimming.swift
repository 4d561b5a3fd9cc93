internal import Storage

/// Evicts the oldest part of a connection of which something stays.
final class Trimming {
    private let deletion: Deletion
    private let gaps: EvictedGaps
    private let opening: Statement
    private let known: Statement
    private let exchanges: Statement
    private let staying: Statement
    private let lastOf: Statement
    private let messages: Statement
    private let byRange: [Statement]

    init(_ db: Connection, deletion: Deletion, gaps: EvictedGaps) throws(StorageFault) {
        self.deletion = deletion
        self.gaps = gaps
        known = try db.prepare(
            """
            SELECT max(after_chunk_id) FROM gap WHERE connection_id = ? AND reason = 'evicted'
            """)
        // The chunks that open a WebSocket or a tunnel end where the first message or the first
        // exchange in the tunnel begins; that place itself stays where it shares a chunk with them.
        opening = try db.prepare(
            """
            SELECT coalesce(max(id), 0) FROM chunk WHERE connection_id = ?1 AND id < (
              SELECT min(first) FROM (
                SELECT min(chunk_id) AS first FROM any_message WHERE connection_id = ?1
                UNION ALL
                SELECT min(request_chunk_id) FROM any_exchange WHERE connection_id = ?1
                  AND method <> 'CONNECT' AND status IS NOT 101))
            """)
        // Exchanges that ended before the next chunk are before it. The index by chunk finds the
        // few that are this old, the one by connection all rows of a connection.
        let ended = """
            +connection_id = ?1 AND outcome <> 'open' AND method <> 'CONNECT'
              AND status IS NOT 101
            """
        exchanges = try db.prepare(
            """
            SELECT id FROM any_exchange
            WHERE request_chunk_id <= ?2 AND id IS NOT ?3 AND \(ended)
              AND coalesce(ended_ns, started_ns) < coalesce(
                (SELECT at_ns FROM chunk WHERE connection_id = ?1 AND id > ?2 ORDER BY id LIMIT 1),
                \(Int64.max))
            """)
        staying = try db.prepare(
            """
            SELECT min(request_chunk_id) FROM any_exchange
            WHERE request_chunk_id >= ?2 AND request_chunk_id <= ?3 AND id IS NOT ?4 AND \(ended)
            """)
        lastOf = try db.prepare(
            """
            SELECT max(id) FROM chunk
            WHERE connection_id = ?1 AND id >= ?2 AND id <= ?3 AND at_ns <= ?4
            """)
        messages = try db.prepare(
            "SELECT id FROM any_message WHERE connection_id = ?1 AND chunk_id <= ?2")
        let range = Self.range
        var prepared: [Statement] = []
        for sql in Schema.deletePatches(of: range) + [
            "DELETE FROM fault_verdict WHERE fault_id IN (SELECT id FROM fault_statement "
                + "WHERE connection_id = ?1 AND chunk_id IN (SELECT id FROM chunk WHERE \(range)))",
            "DELETE FROM fault_statement WHERE connection_id = ?1 "
                + "AND chunk_id IN (SELECT id FROM chunk WHERE \(range))",
            "DELETE FROM finding_statement WHERE chunk_id IN (SELECT id FROM chunk WHERE \(range))",
            "DELETE FROM note WHERE connection_id = ?1 AND chunk_id > ?2 AND chunk_id < ?3",
            "DELETE FROM chunk WHERE \(range)",
        ] {
            prepared.append(try db.prepare(sql))
        }
        byRange = prepared
    }

    /// Chunks of connection ?1 between ?2 and ?3, apart from those that an exchange begins in.
    static let range = """
        connection_id = ?1 AND chunk.id > ?2 AND chunk.id < ?3
          AND chunk.id NOT IN (SELECT request_chunk_id FROM any_exchange
                         WHERE request_chunk_id > ?2 AND request_chunk_id < ?3
                           AND +connection_id = ?1)
          AND chunk.id NOT IN (SELECT response_chunk_id FROM any_exchange
                         WHERE request_chunk_id < ?3 AND response_chunk_id > ?2
                           AND +connection_id = ?1)
        """

    /// Deletes the part of `connection` up to the chunk `line`, apart from `kept`.
    ///
    /// An exchange is deleted when the line has passed its last chunk; until then its chunks stay.
    func trim(
        _ connection: Int64, upto line: Int64, keeping kept: NewestExchange.Kept?,
        _ position: inout WritePosition
    ) throws(StorageFault) -> Retention.Amount {
        // Before anything is deleted that determines the end of the opening.
        var after = try first(known, connection)
        if after == nil { after = try first(opening, connection) }
        let start = after ?? 0
        for exchange in try list(exchanges, connection, line, kept?.exchange) {
            try deletion.exchange(exchange)
        }
        for message in try list(messages, connection, line) { try deletion.message(message) }
        let stays = try first(staying, connection, start, line, nil)
        var amount = try drop(connection, after: start, before: stays ?? line + 1, &position)
        // After the kept one, an exchange that never ends may grow.
        guard let kept, stays == kept.firstChunk,
            let end = try first(lastOf, connection, kept.firstChunk, line, kept.endedAt)
        else { return amount }
        let next = try first(staying, connection, end, line, kept.exchange)
        amount.add(try drop(connection, after: end, before: next ?? line + 1, &position))
        return amount
    }

    private func drop(
        _ connection: Int64, after: Int64, before: Int64, _ position: inout WritePosition
    ) throws(StorageFault) -> Retention.Amount {
        guard before > after + 1 else { return Retention.Amount() }
        let amount = try gaps.count(connection, after: after, before: before, &position)
        for statement in byRange {
            statement.bind(1, connection)
            statement.bind(2, after)
            statement.bind(3, before)
            try statement.run()
        }
        return amount
    }

    private func first(
        _ statement: Statement, _ connection: Int64, _ others: Int64?...
    ) throws(StorageFault) -> Int64? {
        statement.bind(1, connection)
        for (index, value) in others.enumerated() { statement.bind(Int32(index + 2), value) }
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        return statement.optionalInteger(0)
    }

    private func list(
        _ statement: Statement, _ connection: Int64, _ line: Int64, _ kept: Int64?...
    ) throws(StorageFault) -> [Int64] {
        statement.bind(1, connection)
        statement.bind(2, line)
        for value in kept { statement.bind(3, value) }
        var ids: [Int64] = []
        while try statement.step() { ids.append(statement.integer(0)) }
        return ids
    }
}
