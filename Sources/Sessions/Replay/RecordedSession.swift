package import Replaying
import Simperium
import Synchronization
package import Trace
package import Wire

/// A trace opened for replay: lists in memory, contents fetched on request.
///
/// Times are nanoseconds since the start of the first session of the trace, so that those of
/// several sessions follow each other. Contents may be read from any thread.
package struct RecordedSession: Sendable {
    /// The file.
    package let path: String
    /// A warning about the file; nil without one.
    package let warning: String?
    /// All HTTP exchanges in order, those that opened a WebSocket too; CONNECT is left out.
    package let exchanges: RecordedExchanges
    /// The connection of the socket that an exchange opened.
    package let upgrades: [ExchangeID: ConnectionID]
    /// All Simperium commands in order, without SockJS around them.
    package let commands: RecordedCommands
    /// The sockets with Simperium on them, in the order of the requests that opened them.
    package let sockets: [RecordedSocket]
    /// The transport of their commands.
    package let transports: [ConnectionID: RecordedTransport]
    /// The WebSockets that carry something else, in the same order.
    package let conversations: [RecordedConversation]
    /// Wall clock at instant zero, nanoseconds since 1970 UTC.
    package let anchor: Int64
    private let contents: Contents
    /// A cache of heads.
    package let heads = RecordedHeads()

    /// Opens the trace at `path`.
    ///
    /// - Parameters:
    ///   - path: The trace.
    ///   - session: The session of it that is read, with times since its start; nil for all.
    /// - Throws: ``TraceError`` where there is none, or one of another format, or no such session.
    package init(path: String, session: SessionID? = nil) throws(TraceError) {
        self.path = path
        let reader = try ReplayReader(path: path, session: session)
        warning = reader.warning
        anchor = reader.anchor
        let bounds = try reader.bounds()
        // Beside the exchanges, behind which one processor would be idle.
        let lists = RowBatches { (put) throws(TraceError) in
            var commands = RecordedCommands()
            commands.reserveCapacity(bounds.commands)
            try Self.read(path, session, to: &commands)
            put(commands)
        }
        defer { lists.drop() }
        var exchanges = RecordedExchanges()
        exchanges.reserveCapacity(bounds.exchanges)
        if let numbers = try reader.exchangeNumbers() {
            var readers = ExchangeReaders(
                path: path, session: session, numbers: numbers, count: bounds.exchanges)
            defer { readers.drop() }
            while let batch = try readers.next() { exchanges.append(batch) }
        }
        self.exchanges = exchanges
        var commands = try lists.next() ?? RecordedCommands()
        while case let torn = try reader.torn(commands.lastOfSides), !torn.isEmpty {
            for command in torn { commands.remove(command) }
        }
        self.commands = commands
        var upgrades: [ExchangeID: ConnectionID] = [:]
        var sockets: [RecordedSocket] = []
        var transports: [ConnectionID: RecordedTransport] = [:]
        var conversations: [RecordedConversation] = []
        let rows = try reader.sockets(
            lastMessages: reader.messages(of: commands.lastCommands))
        var talks: [ExchangeID: Talk] = [:]
        if rows.contains(where: { !$0.isSimperium }) { talks = try Self.talks(reader) }
        for row in rows {
            upgrades[row.exchange] = row.connection
            guard row.isSimperium else {
                guard RecordedHead(row.head, of: .server).opensWebSocket else { continue }
                conversations.append(
                    Self.conversation(row, talks[row.exchange] ?? Talk()))
                continue
            }
            let end = row.endedAt.map { RecordedSocket.End(code: row.closeCode, at: $0) }
            sockets.append(
                RecordedSocket(id: row.connection, end: end, brokenAt: row.brokenAt))
            let isSockJS = SimperiumEndpoint.recognise(path: row.path)?.transport == .sockJS
            transports[row.connection] = RecordedTransport(
                kind: isSockJS ? .sockJS : .webSocket, path: row.path,
                isDeflated: RecordedHead(row.head, of: .server).agreesOnDeflate)
        }
        self.upgrades = upgrades
        self.sockets = sockets
        self.transports = transports
        self.conversations = conversations
        try reader.holdSnapshot()
        contents = Contents(reader)
    }

    /// Reads all commands of the trace at `path`; the details of changes are read in parallel.
    private static func read(
        _ path: String, _ session: SessionID?, to commands: inout RecordedCommands
    ) throws(TraceError) {
        let changes = RowBatches<CCIDBatch> { (put) throws(TraceError) in
            var batch = CCIDBatch()
            try ReplayReader(path: path).ccids { command, ccid in
                batch.append(command, ccid)
                guard batch.count == CCIDBatch.most else { return }
                put(batch)
                batch = CCIDBatch()
            }
            put(batch)
        }
        defer { changes.drop() }
        let rows = RowBatches<CommandBatch> { (put) throws(TraceError) in
            var batch = CommandBatch()
            try ReplayReader(path: path, session: session).commands { row in
                batch.append(row)
                guard batch.count == CommandBatch.most else { return }
                put(batch)
                batch = CommandBatch()
            }
            put(batch)
        }
        defer { rows.drop() }
        var ccids = CCIDCursor(changes)
        while let batch = try rows.next() { try batch.append(to: &commands, with: &ccids) }
    }

    /// Header fields and body after transfer and content coding of one side of an exchange; whole,
    /// also where the trace keeps only the first bytes beside the chunks.
    ///
    /// - Returns: Nil where that side was not seen or cannot be read.
    package func message(_ id: ExchangeID, _ peer: Peer) -> ReplayMessage? {
        contents.read { (reader) throws(TraceError) in
            guard let side = try reader.side(id, peer) else { return nil }
            let body =
                side.isWhole
                ? side.content
                : try reader.body(id, peer, method: side.method, decoding: side.coding)
            return side.message(body, of: peer, heads)
        }
    }

    /// The body of a request with its content coding, as it was sent; nil where it has none.
    package func sentBody(_ id: ExchangeID) -> [UInt8]? {
        contents.read { (reader) throws(TraceError) in
            guard let side = try reader.side(id, .client), !side.coding.isEmpty else { return nil }
            return try reader.body(id, .client, method: side.method, decoding: "")
        }
    }

    /// The text of a command, in full; nil where there is none.
    package func text(_ id: CommandID) -> [UInt8]? {
        contents.read { (reader) throws(TraceError) in
            guard let (text, cutFrom) = try reader.text(id) else { return nil }
            return try cutFrom.flatMap { (place) throws(TraceError) in
                try reader.payload(of: place, startingWith: text)
            } ?? text
        }
    }

    /// The payload of a WebSocket message, in full; nil where there is none.
    package func payload(_ id: MessageID) -> [UInt8]? {
        contents.read { (reader) throws(TraceError) in
            guard let (bytes, isWhole) = try reader.payload(of: id) else { return nil }
            guard !isWhole, let place = try reader.place(of: id) else { return bytes }
            return try reader.payload(of: place, startingWith: bytes) ?? bytes
        }
    }

    /// The response of an exchange as it is sent again; nil where none was seen.
    package func response(_ id: ExchangeID) -> RecordedResponse? {
        contents.read { (reader) throws(TraceError) in
            guard let side = try reader.side(id, .server) else { return nil }
            let body =
                side.isAsSent
                ? side.content : try reader.body(id, .server, method: side.method, decoding: "")
            return side.response(body, heads)
        }
    }

    /// The reader, for one thread at a time.
    private final class Contents: Sendable {
        private let reader: Mutex<ReplayReader>

        init(_ reader: sending ReplayReader) { self.reader = Mutex(reader) }

        func read<Result: Sendable>(
            _ body: (ReplayReader) throws(TraceError) -> Result?
        ) -> Result? {
            reader.withLock { try? body($0) }
        }
    }
}
