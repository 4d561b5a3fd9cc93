internal import Storage
public import Wire

/// Reads what replaying needs of a trace: lists in one pass each, contents on request.
///
/// Statements are compiled once. For one thread at a time.
public final class ReplayReader {
    let reader: TraceReader
    var db: Connection { reader.db }
    /// The file.
    public var path: String { reader.path }
    /// A warning about this trace; nil without one.
    public var warning: String? { reader.warning }
    /// Nanoseconds between the start of the first session and that of each.
    let shifts: [Int64: Int64]
    /// Wall clock at the start of the first session, nanoseconds since 1970 UTC.
    public let anchor: Int64

    private var sideStatement: Statement?
    private var sidesStatement: Statement?
    private var textStatement: Statement?
    var payloadStatement: Statement?
    var exchangesStatement: Statement?

    /// The condition for rows of the session that is read; empty for all.
    let ofSession: String

    /// Opens the trace at `path`.
    ///
    /// - Parameters:
    ///   - path: The trace.
    ///   - session: The session whose rows lists have, with times since its start; nil for all.
    /// - Throws: ``TraceError`` where there is none, one of another format, or no such session.
    public init(path: String, session: SessionID? = nil) throws(TraceError) {
        let reader = try TraceReader(path: path)
        self.reader = reader
        let sessions = try reader.reported { () throws(StorageFault) in
            try reader.db.execute("PRAGMA cache_size = -2048")
            return try reader.list("SELECT id, started_unix_ns FROM session ORDER BY id", []) {
                ($0.integer(0), $0.integer(1))
            }
        }
        var anchor = sessions.first?.1 ?? 0
        if let session {
            guard let found = sessions.first(where: { $0.0 == session.rawValue }) else {
                let known = sessions.map { "\($0.0)" }.joined(separator: ", ")
                throw TraceError(
                    .notFound, "\(path) has no session \(session); it has sessions \(known)")
            }
            anchor = found.1
        }
        ofSession = session.map { " AND session_id = \($0.rawValue)" } ?? ""
        self.anchor = anchor
        shifts = Dictionary(
            sessions.map { ($0.0, $0.1.subtractingReportingOverflow(anchor).partialValue) },
            uniquingKeysWith: { $1 })
    }

    // MARK: Contents

    /// The columns of one side of an exchange: as the view `body`, but with the bytes of the chunk
    /// read once.
    ///
    /// The exchange comes first, so that its row is taken apart once for both sides.
    private static let sides = """
        SELECT b.head,
          CASE WHEN b.content_parts IS NULL THEN b.content ELSE \(Schema.joinedContent) END, b.size, b.wire_size, b.coding, x.method, x.outcome,
          b.head_offset, b.head_size, b.content_offset,
          CASE WHEN b.head IS NULL OR b.content_offset IS NOT NULL THEN k.bytes END, b.id
        FROM any_exchange x CROSS JOIN http_body b ON b.id BETWEEN 2 * x.id AND 2 * x.id + 1
        LEFT JOIN chunk k ON k.id = b.chunk_id
        """

    /// Head and content of one side of an exchange, as the trace keeps them.
    ///
    /// - Returns: Nil where that side was not seen.
    public func side(_ id: ExchangeID, _ sender: Peer) throws(TraceError) -> ReplaySide? {
        try reader.reported { () throws(StorageFault) in
            let statement = try kept(
                &sideStatement, "\(Self.sides) WHERE x.id = ? AND b.sender = ?")
            defer { statement.reset() }
            statement.bind(1, id.rawValue)
            statement.bind(2, Int64(sender.rawValue))
            return try statement.step() ? Self.side(statement, content: []) : nil
        }
    }

    /// Passes on both sides of consecutive exchanges, as ``side(_:_:)`` returns each; it takes less
    /// than half as long.
    ///
    /// - Parameters:
    ///   - first: The first exchange.
    ///   - count: The number of exchange numbers to read, at least 1.
    ///   - spares: Unshared arrays, for contents: recently used memory is faster to fill than new
    ///     memory. Those that are used are removed.
    ///   - body: Receives each side that was seen and returns whether to go on.
    /// - Throws: ``TraceError`` with code `storage`.
    public func sides(
        from first: ExchangeID, count: Int, using spares: inout [[UInt8]],
        _ body: (ExchangeID, Peer, ReplaySide) -> Bool
    ) throws(TraceError) {
        try reader.reported { () throws(StorageFault) in
            let statement = try kept(
                &sidesStatement,
                "\(Self.sides) WHERE x.id BETWEEN ? AND ? AND x.side <> 'server' "
                    + "ORDER BY x.id, b.id")
            defer { statement.reset() }
            statement.bind(1, first.rawValue)
            statement.bind(2, first.rawValue &+ Int64(count) &- 1)
            while try statement.step() {
                let id = statement.integer(11)
                // Numbers are 2 * exchange + sender.
                let sender: Peer = id & 1 == 0 ? .client : .server
                let hasContent = statement.integer(2) > 0
                let side = Self.side(statement, content: hasContent ? spares.popLast() ?? [] : [])
                guard body(ExchangeID(id >> 1), sender, side) else { return }
            }
        }
    }

    /// The side that a row has, with its content in the place of `content`.
    private static func side(_ row: Statement, content: consuming [UInt8]) -> ReplaySide {
        let size = row.integer(2)
        content.removeAll(keepingCapacity: true)
        let head = row.withBytes(10) { chunk in
            if row.isNull(9) {
                row.withBytes(1) { content.append(contentsOf: $0) }
            } else {
                content.append(contentsOf: part(of: chunk, row.integer(9), size))
            }
            return row.isNull(0)
                ? [UInt8](part(of: chunk, row.integer(7), row.integer(8))) : row.bytes(0)
        }
        return ReplaySide(
            head: head, content: content, size: size, wireSize: row.integer(3),
            coding: row.string(4), method: row.string(5), outcome: row.string(6))
    }

    /// This many bytes of a chunk, as far as it has them.
    private static func part(
        of chunk: UnsafeRawBufferPointer, _ offset: Int64, _ count: Int64
    ) -> UnsafeRawBufferPointer {
        let start = min(max(0, offset), Int64(chunk.count))
        let end = start + min(max(0, count), Int64(chunk.count) - start)
        return UnsafeRawBufferPointer(rebasing: chunk[Int(start)..<Int(end)])
    }

    /// Passes on the bytes of one side of an exchange as that side had them; see
    /// ``TraceReader/bytes(of:sender:_:_:)``.
    public func bytes(
        of id: ExchangeID, _ sender: Peer, _ body: (ArraySlice<UInt8>) -> Bool
    ) throws(TraceError) {
        try reader.bytes(of: id, sender: sender) { body($1) }
    }

    /// The text of a command as the trace keeps it; nil where there is none.
    ///
    /// - Returns: The text, and the message that holds all of it where these are its first bytes.
    public func text(
        _ id: CommandID
    ) throws(TraceError) -> (text: [UInt8], cutFrom: ReplayMessagePlace?)? {
        try reader.reported { () throws(StorageFault) in
            let statement = try kept(
                &textStatement,
                """
                SELECT coalesce(c.text, m.payload), c.text IS NULL, m.id, m.connection_id,
                  m.exchange_id, m.sender, m.size, m.compressed, m.chunk_id, m."offset", m.side
                FROM any_command c LEFT JOIN any_message m ON m.id = c.message_id WHERE c.id = ?
                """)
            defer { statement.reset() }
            statement.bind(1, id.rawValue)
            guard try statement.step() else { return nil }
            let text = statement.bytes(0)
            let size = statement.integer(6)
            guard statement.integer(1) != 0, size > Int64(text.count) else { return (text, nil) }
            return (
                text,
                ReplayMessagePlace(
                    id: MessageID(statement.integer(2)),
                    connection: ConnectionID(statement.integer(3)),
                    exchange: ExchangeID(statement.integer(4)), sender: statement.peer(5),
                    size: size, isCompressed: statement.integer(7) != 0,
                    chunk: ChunkID(statement.integer(8)), offset: statement.int(9),
                    side: Side(rawValue: statement.string(10)) ?? .both)
            )
        }
    }

    /// Passes on the bytes of a WebSocket as the side of a message had them, from that on.
    ///
    /// - Parameters:
    ///   - place: The message; of a compressed one, the first of its sender, since earlier data is
    ///     needed to inflate it.
    ///   - body: Receives each piece and returns whether to go on.
    /// - Throws: ``TraceError`` with code `storage`.
    public func frames(
        of place: ReplayMessagePlace, _ body: (ArraySlice<UInt8>) -> Bool
    ) throws(TraceError) {
        try reader.reported { () throws(StorageFault) in
            var (first, offset) = (place.chunk, place.offset)
            if place.isCompressed {
                let start = try reader.list(
                    """
                    SELECT chunk_id, "offset" FROM any_message
                    WHERE chunk_id >= (SELECT request_chunk_id FROM any_exchange WHERE id = ?1)
                      AND exchange_id IN (?1, (SELECT counterpart_id FROM any_exchange WHERE id = ?1))
                      AND sender = ?2 AND side <> \(place.side == .server ? "'client'" : "'server'")
                    ORDER BY chunk_id, id LIMIT 1
                    """, [place.exchange.rawValue, Int64(place.sender.rawValue)]
                ) { (ChunkID($0.integer(0)), $0.int(1)) }.first
                if let start { (first, offset) = start }
            }
            try reader.chunks(
                of: place.connection, place.sender, from: first, upto: nil, ended: nil
            ) { id, chunk in
                let view = ChunkView(of: chunk, hadBy: place.side == .server ? .server : .client)
                return body(view.bytes[(id == first ? view.index(of: offset) : 0)...])
            }
        }
    }

    /// The statement in `place`, compiled on first use.
    func kept(
        _ place: inout Statement?, _ sql: String
    ) throws(StorageFault) -> Statement {
        if let place { return place }
        let made = try db.prepare(sql)
        place = made
        return made
    }
}

extension Statement {
    func instant(_ column: Int32, _ shift: Int64) -> Instant {
        Instant(nanoseconds: integer(column) &+ shift)
    }

    func optionalInstant(_ column: Int32, _ shift: Int64) -> Instant? {
        optionalInteger(column).map { Instant(nanoseconds: $0 &+ shift) }
    }
}
