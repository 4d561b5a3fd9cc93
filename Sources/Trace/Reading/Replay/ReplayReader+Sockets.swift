internal import Storage
public import Wire

extension ReplayReader {
    /// The number of messages that are searched for the end of one socket.
    private static let maxMessages = 20_000

    /// The WebSockets, in the order of the requests that opened them.
    ///
    /// - Parameter lastMessages: The message of the last command of each socket, where it has any.
    /// - Returns: All of them, also those with something else than Simperium on them.
    /// - Throws: ``TraceError`` with code `storage`.
    public func sockets(
        lastMessages: [ConnectionID: MessageID]
    ) throws(TraceError) -> [ReplaySocketRow] {
        try reader.reported { () throws(StorageFault) in
            let rows = try reader.list(
                """
                SELECT id, session_id, connection_id, api, path, response_chunk_id,
                  coalesce(responded_ns, started_ns)
                FROM http_exchange WHERE status = 101\(ofSession) ORDER BY id
                """, []
            ) {
                (
                    id: $0.integer(0), session: $0.integer(1), connection: $0.integer(2),
                    api: $0.string(3), path: $0.string(4), chunk: $0.integer(5),
                    at: $0.integer(6)
                )
            }
            let heads = try db.prepare("SELECT head FROM body WHERE id = ?")
            var sockets: [ReplaySocketRow] = []
            sockets.reserveCapacity(rows.count)
            for row in rows {
                heads.bind(1, 2 * row.id + 1)
                let head = try heads.step() ? heads.bytes(0) : []
                heads.reset()
                let connection = ConnectionID(row.connection)
                let shift = shifts[row.session] ?? 0
                var socket = ReplaySocketRow(
                    connection: connection, exchange: ExchangeID(row.id),
                    isSimperium: row.api == "simperium.socket", path: row.path,
                    head: head, openedAt: Instant(nanoseconds: row.at &+ shift))
                let after = lastMessages[connection]?.rawValue
                if let end = try end(of: row.connection, after: after, openedIn: row.chunk) {
                    socket.endedAt = Instant(nanoseconds: end.at &+ shift)
                    socket.closeCode = end.code
                } else if let at = try breakage(of: row.connection, openedIn: row.chunk) {
                    socket.brokenAt = Instant(nanoseconds: at &+ shift)
                }
                sockets.append(socket)
            }
            return sockets
        }
    }

    /// When and how the server ended a socket; nil where the client was first, or neither ended it.
    ///
    /// The first close message ends it. Without one, the first leg that will send
    /// no more does.
    private func end(
        of connection: Int64, after message: Int64?, openedIn chunk: Int64
    ) throws(StorageFault) -> (at: Int64, code: Int?)? {
        let ended = try reader.list(
            """
            SELECT l.peer, e.at_ns, e.after_chunk_id FROM event e JOIN leg l ON l.id = e.leg_id
            WHERE e.connection_id = ? AND e.kind IN ('ended', 'closed')
              AND e.after_chunk_id >= ? ORDER BY e.id LIMIT 1
            """, [connection, chunk]
        ) { (peer: $0.peer(0), at: $0.integer(1), chunk: $0.integer(2)) }.first
        let close =
            if let message {
                try close(
                    "id > ?2 AND id <= ?2 + \(Self.maxMessages)", message, connection, ended?.at)
            } else {
                try close(
                    "chunk_id >= ?2 AND chunk_id < ?2 + \(Self.maxMessages)", chunk, connection,
                    ended?.at)
            }
        if let close { return close.peer == .server ? (close.at, close.code) : nil }
        guard let ended, ended.peer == .server else { return nil }
        return (ended.at, nil)
    }

    /// When a fault closed the client's side of a socket; nil where none did.
    private func breakage(
        of connection: Int64, openedIn chunk: Int64
    ) throws(StorageFault) -> Int64? {
        try reader.list(
            """
            SELECT e.at_ns FROM event e JOIN leg l ON l.id = e.leg_id
            WHERE e.connection_id = ?1 AND l.peer = 0 AND e.kind = 'closed'
              AND e.after_chunk_id >= ?2
              AND NOT EXISTS (SELECT 1 FROM event b WHERE b.leg_id = e.leg_id AND b.kind = 'ended')
              AND EXISTS (SELECT 1 FROM fault_statement f WHERE f.connection_id = ?1
                AND ' ' || f.effect || ' ' LIKE '% ended %')
            ORDER BY e.id LIMIT 1
            """, [connection, chunk]
        ) { $0.integer(0) }.first
    }

    private func close(
        _ range: String, _ from: Int64, _ connection: Int64, _ until: Int64?
    ) throws(StorageFault) -> (peer: Peer, at: Int64, code: Int?)? {
        // Messages are nearly in order of time: rows are skipped no longer than until the end of
        // the socket.
        let statement = try db.prepare(
            "SELECT connection_id, opcode, sender, ended_ns, close_code FROM message "
                + "WHERE \(range) ORDER BY \(range.hasPrefix("id") ? "id" : "chunk_id, id")")
        statement.bind(2, from)
        while try statement.step() {
            if let until, statement.integer(3) > until &+ 1_000_000_000 { return nil }
            guard statement.integer(0) == connection, statement.integer(1) == 8 else { continue }
            return (statement.peer(2), statement.integer(3), statement.optionalInt(4))
        }
        return nil
    }
}
