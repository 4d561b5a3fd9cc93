internal import Storage
public import Wire

/// Reads what replaying needs of a trace: lists in one pass each, contents when they are asked for.
///
/// Statements are compiled once. For one thread at a time.
public final class ReplayReader {
    let reader: TraceReader
    var db: Connection { reader.db }
    /// The file.
    public var path: String { reader.path }
    /// What a reader of this trace should know; nil where there is nothing.
    public var warning: String? { reader.warning }
    /// Nanoseconds between the start of the first session and that of each.
    let shifts: [Int64: Int64]
    /// Wall clock at the start of the first session, nanoseconds since 1970 UTC.
    public let anchor: Int64

    /// How many contents were read since the file was mapped; nil while it is not.
    var mapped: Int?
    private var sideStatement: Statement?
    private var sidesStatement: Statement?
    private var textStatement: Statement?
    var payloadStatement: Statement?

    /// Opens the trace at `path`.
    ///
    /// - Throws: ``TraceError`` where there is none, or one of another format.
    public init(path: String) throws(TraceError) {
        let reader = try TraceReader(path: path)
        self.reader = reader
        // Pages are read into a small cache of our own: mapped ones would count as memory in use.
        let sessions = try reader.told { () throws(StorageFault) in
            try reader.db.execute("PRAGMA mmap_size = 0; PRAGMA cache_size = -2048")
            return try reader.list("SELECT id, started_unix_ns FROM session ORDER BY id", []) {
                ($0.integer(0), $0.integer(1))
            }
        }
        let anchor = sessions.first?.1 ?? 0
        self.anchor = anchor
        shifts = Dictionary(
            sessions.map { ($0.0, $0.1.subtractingReportingOverflow(anchor).partialValue) },
            uniquingKeysWith: { $1 })
    }

    // MARK: Lists

    /// How many exchanges and commands there are at most.
    public func bounds() throws(TraceError) -> (exchanges: Int, commands: Int) {
        try reader.told { () throws(StorageFault) in
            // Numbers have few holes. No row takes less than 32 bytes of the file, whatever they say.
            let most = try db.integer("PRAGMA page_count") * 4096 / 32
            func span(_ table: String) throws(StorageFault) -> Int {
                let first = try db.integer("SELECT min(id) FROM \(table)")
                let last = try db.integer("SELECT max(id) FROM \(table)")
                return Int(max(0, min(most, last.subtractingReportingOverflow(first).0 &+ 1)))
            }
            return (try span("http_exchange"), try span("simperium_command"))
        }
    }

    /// Gives the exchanges in order, all but CONNECT, with times since the start of the first
    /// session.
    public func exchanges(_ body: (ReplayExchangeRow) -> Void) throws(TraceError) {
        try reader.told { () throws(StorageFault) in
            let statement = try db.prepare(
                """
                SELECT id, connection_id, session_id, api, method, host, port, path, query, status,
                  started_ns, responded_ns, ended_ns FROM http_exchange
                WHERE method <> 'CONNECT' ORDER BY id
                """)
            while try statement.step() {
                let shift = shifts[statement.integer(2)] ?? 0
                body(
                    ReplayExchangeRow(
                        id: ExchangeID(statement.integer(0)),
                        connection: ConnectionID(statement.integer(1)),
                        api: statement.borrowed(3), method: statement.borrowed(4),
                        host: statement.borrowed(5), port: statement.int(6),
                        path: statement.borrowed(7),
                        query: statement.isNull(8) ? nil : statement.borrowed(8),
                        status: statement.optionalInt(9),
                        startedAt: statement.instant(10, shift),
                        respondedAt: statement.isNull(11) ? nil : statement.instant(11, shift),
                        endedAt: statement.isNull(12) ? nil : statement.instant(12, shift)))
            }
        }
    }

    /// Gives the Simperium commands in order.
    ///
    /// - Parameter body: Gets each; what it borrows may be used for the call alone.
    /// - Throws: ``TraceError`` with code `storage`.
    public func commands(_ body: (ReplayCommandRow) -> Void) throws(TraceError) {
        try reader.told { () throws(StorageFault) in
            let commands = try db.prepare(
                """
                SELECT id, connection_id, session_id, sender, at_ns, channel, name, message_id
                FROM simperium_command ORDER BY id
                """)
            while try commands.step() {
                body(
                    ReplayCommandRow(
                        id: CommandID(commands.integer(0)),
                        socket: ConnectionID(commands.integer(1)),
                        message: MessageID(commands.integer(7)), sender: commands.peer(3),
                        at: commands.instant(4, shifts[commands.integer(2)] ?? 0),
                        channel: commands.optionalInt(5), name: commands.borrowed(6)))
            }
        }
    }

    /// Gives each `ccid` of the changes in all commands, in the order of the commands.
    ///
    /// - Parameter body: Gets the command and the `ccid`, which it may use for the call alone.
    /// - Throws: ``TraceError`` with code `storage`.
    public func ccids(
        _ body: (CommandID, UnsafeRawBufferPointer) -> Void
    ) throws(TraceError) {
        try reader.told { () throws(StorageFault) in
            let changes = try db.prepare(
                "SELECT command_id, ccid FROM change WHERE ccid IS NOT NULL ORDER BY id")
            while try changes.step() {
                let command = CommandID(changes.integer(0))
                Self.words(changes.borrowed(1)) { body(command, $0) }
            }
        }
    }

    /// Gives what stands between spaces.
    private static func words(
        _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        var start = 0
        for end in 0...bytes.count where end == bytes.count || bytes[end] == 0x20 {
            if end > start { body(UnsafeRawBufferPointer(rebasing: bytes[start..<end])) }
            start = end + 1
        }
    }

    // MARK: Contents

    /// What a side of an exchange is made of: what the view `body` says, but with the bytes of the
    /// chunk read once.
    private static let sides = """
        SELECT b.head, b.content, b.size, b.wire_size, b.coding, x.method, x.outcome,
          b.head_offset, b.head_size, b.content_offset,
          CASE WHEN b.head IS NULL OR b.content_offset IS NOT NULL THEN k.bytes END, b.id
        FROM http_body b JOIN http_exchange x ON x.id = b.exchange_id
        LEFT JOIN chunk k ON k.id = b.chunk_id
        """

    /// Head and content of one side of an exchange, as the trace keeps them.
    ///
    /// - Returns: Nil where that side was not seen.
    public func side(_ id: ExchangeID, _ sender: Peer) throws(TraceError) -> ReplaySide? {
        try reader.told { () throws(StorageFault) in
            let statement = try kept(&sideStatement, "\(Self.sides) WHERE b.id = ?")
            defer { statement.reset() }
            statement.bind(1, 2 &* id.rawValue &+ Int64(sender.rawValue))
            return try statement.step() ? Self.side(statement) : nil
        }
    }

    /// Gives both sides of exchanges that follow each other, as ``side(_:_:)`` has each; it takes
    /// less than half as long.
    ///
    /// - Parameters:
    ///   - first: The first exchange.
    ///   - count: How many numbers to look at, at least 1.
    ///   - body: Gets each side that was seen and answers whether to go on.
    /// - Throws: ``TraceError`` with code `storage`.
    public func sides(
        from first: ExchangeID, count: Int, _ body: (ExchangeID, Peer, ReplaySide) -> Bool
    ) throws(TraceError) {
        try reader.told { () throws(StorageFault) in
            let statement = try kept(
                &sidesStatement, "\(Self.sides) WHERE b.id BETWEEN ? AND ? ORDER BY b.id",
                contents: 2 * count)
            defer { statement.reset() }
            statement.bind(1, 2 &* first.rawValue)
            statement.bind(2, 2 &* (first.rawValue &+ Int64(count)) &- 1)
            while try statement.step() {
                let id = statement.integer(11)
                // Numbers are 2 * exchange + sender.
                let sender: Peer = id & 1 == 0 ? .client : .server
                guard body(ExchangeID(id >> 1), sender, Self.side(statement)) else { return }
            }
        }
    }

    /// The side that a row has.
    private static func side(_ row: Statement) -> ReplaySide {
        let size = row.integer(2)
        let (head, content) = row.withBytes(10) { chunk in
            (
                row.isNull(0) ? part(of: chunk, row.integer(7), row.integer(8)) : row.bytes(0),
                row.isNull(9) ? row.bytes(1) : part(of: chunk, row.integer(9), size)
            )
        }
        return ReplaySide(
            head: head, content: content, size: size, wireSize: row.integer(3),
            coding: row.string(4), method: row.string(5), outcome: row.string(6))
    }

    /// So many bytes of a chunk, as far as it has them.
    private static func part(
        of chunk: UnsafeRawBufferPointer, _ offset: Int64, _ count: Int64
    ) -> [UInt8] {
        let start = min(max(0, offset), Int64(chunk.count))
        let end = start + min(max(0, count), Int64(chunk.count) - start)
        return [UInt8](chunk[Int(start)..<Int(end)])
    }

    /// Gives the bytes of one side of an exchange as its receiver got them; see
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
        try reader.told { () throws(StorageFault) in
            let statement = try kept(
                &textStatement,
                """
                SELECT coalesce(c.text, m.payload), c.text IS NULL, m.id, m.connection_id,
                  m.exchange_id, m.sender, m.size, m.compressed, m.chunk_id, m."offset"
                FROM simperium_command c LEFT JOIN message m ON m.id = c.message_id WHERE c.id = ?
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
                    chunk: ChunkID(statement.integer(8)), offset: statement.int(9))
            )
        }
    }

    /// Gives the bytes of a WebSocket as the receiver got them, from a message on.
    ///
    /// - Parameters:
    ///   - place: The message; of a compressed one, the first of its sender, since what came before
    ///     is needed to inflate it.
    ///   - body: Gets each piece and answers whether to go on.
    /// - Throws: ``TraceError`` with code `storage`.
    public func frames(
        of place: ReplayMessagePlace, _ body: (ArraySlice<UInt8>) -> Bool
    ) throws(TraceError) {
        try reader.told { () throws(StorageFault) in
            var (first, offset) = (place.chunk, place.offset)
            if place.isCompressed {
                let start = try reader.list(
                    """
                    SELECT chunk_id, "offset" FROM message
                    WHERE chunk_id >= (SELECT request_chunk_id FROM http_exchange WHERE id = ?1)
                      AND exchange_id = ?1 AND sender = ?2 ORDER BY chunk_id, id LIMIT 1
                    """, [place.exchange.rawValue, Int64(place.sender.rawValue)]
                ) { (ChunkID($0.integer(0)), $0.int(1)) }.first
                if let start { (first, offset) = start }
            }
            try reader.chunks(
                of: place.connection, place.sender, from: first, upto: nil, ended: nil
            ) { id, chunk in
                let bytes = chunk.received
                return body(bytes[(id == first ? min(offset, bytes.count) : 0)...])
            }
        }
    }

    /// The statement in `place`, compiled when it is first asked for, to read so many contents.
    func kept(
        _ place: inout Statement?, _ sql: String, contents: Int = 1
    ) throws(StorageFault) -> Statement {
        try countMapped(contents)
        if let place { return place }
        let made = try db.prepare(sql)
        place = made
        return made
    }
}

extension Statement {
    /// The bytes of a column, which live until the next step.
    func borrowed(_ column: Int32) -> UnsafeRawBufferPointer { withBytes(column) { $0 } }

    func instant(_ column: Int32, _ shift: Int64) -> Instant {
        Instant(nanoseconds: integer(column) &+ shift)
    }
}
