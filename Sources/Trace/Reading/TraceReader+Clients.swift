internal import Storage
public import Wire

/// What happened to a connection of a client that says whether it can be recorded.
public struct ClientEvent: Hashable, Sendable {
    /// The session.
    public var session: SessionID
    /// The connection.
    public var connection: ConnectionID
    /// What: `tls`, `tls-failed`, `refused`, `passthrough` or `socks`.
    public var kind: String
    /// Whose leg it was; nil where that is not known.
    public var peer: Peer?
    /// When.
    public var at: Instant
    /// The particulars.
    public var detail: String
}

extension TraceReader {
    /// Connections of clients, the last of them.
    ///
    /// - Parameter limit: How many at most.
    /// - Returns: Each with its session, in order of their numbers.
    /// - Throws: ``TraceError`` with code `storage`.
    public func lastConnections(
        limit: Int
    ) throws(TraceError) -> [(session: SessionID, row: ConnectionRow)] {
        try reported { () throws(StorageFault) in
            try list("SELECT * FROM connection ORDER BY id DESC LIMIT ?", [Int64(limit)]) {
                (SessionID($0.integer(1)), Tables.connection.row($0))
            }.reversed()
        }
    }

    /// What says of these connections whether they can be recorded.
    ///
    /// - Parameters:
    ///   - first: Of connections from this one on.
    ///   - limit: Among how many events it is looked for, the last of the trace.
    /// - Returns: The events in order.
    /// - Throws: ``TraceError`` with code `storage`.
    public func clientEvents(
        from first: ConnectionID, limit: Int
    ) throws(TraceError) -> [ClientEvent] {
        try reported { () throws(StorageFault) in
            try list(
                """
                SELECT e.session_id, e.connection_id, e.kind, l.peer, e.at_ns, e.detail
                FROM event e LEFT JOIN leg l ON l.id = e.leg_id
                WHERE e.id > (SELECT max(id) FROM event) - ? AND e.connection_id >= ?
                  AND e.kind IN ('tls', 'tls-failed', 'refused', 'passthrough', 'socks')
                ORDER BY e.id
                """, [Int64(limit), first.rawValue]
            ) {
                ClientEvent(
                    session: SessionID($0.integer(0)), connection: ConnectionID($0.integer(1)),
                    kind: $0.string(2), peer: $0.isNull(3) ? nil : $0.peer(3), at: $0.instant(4),
                    detail: $0.string(5))
            }
        }
    }

    /// The head of the last request on a connection; nil without any.
    ///
    /// - Throws: ``TraceError`` with code `storage`.
    public func lastRequestHead(of connection: ConnectionID) throws(TraceError) -> [UInt8]? {
        try reported { () throws(StorageFault) in
            try list(
                """
                SELECT head FROM body WHERE id = 2 *
                  (SELECT max(id) FROM any_exchange WHERE connection_id = ?)
                """, [connection.rawValue]
            ) { $0.bytes(0) }.first
        }
    }
}
