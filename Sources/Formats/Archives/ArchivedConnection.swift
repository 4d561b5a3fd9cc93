internal import Framing
internal import Notation
internal import Wire

/// The records of one archived exchange, as they are made one after the other.
struct ArchivedConnection {
    private let exchange: ArchivedExchange
    private let url: ArchivedURL
    private let connection: ConnectionID
    private let legs: (client: LegID, server: LegID)
    private let origin: Int64
    /// When the last thing happened, in nanoseconds since the session started.
    private var now: Int64
    private(set) var records: [ArchiveRecords.Timed] = []

    init(
        _ exchange: ArchivedExchange, _ url: ArchivedURL, connection: ConnectionID, client: LegID,
        server: LegID, since origin: Int64
    ) {
        self.exchange = exchange
        self.url = url
        self.connection = connection
        legs = (client, server)
        self.origin = origin
        now = 0
    }

    /// Makes all records.
    mutating func tell() {
        move(to: exchange.startedUnixNanoseconds)
        begin()
        let isSocket = ArchivedHandshake.opened(exchange)
        var request = ArchivedFields(exchange.request, as: .request)
        request.setHost(url.host)
        if isSocket || url.isSocket {
            ArchivedHandshake.complete(
                request: &request, seed: "\(exchange.startedUnixNanoseconds) \(exchange.url)")
        }
        for oddity in exchange.oddities + request.changes { warn(oddity) }
        send(
            requestLine(isSocket), request, exchange.request, by: .client,
            endedAt: exchange.requestEndedUnixNanoseconds)
        if isSocket {
            open(request)
        } else if let response = exchange.response, (200..<1_000).contains(exchange.status) {
            answer(response)
        }
        end(isSocket: isSocket)
    }

    /// Continues to a time; time never goes back.
    private mutating func move(to unixNanoseconds: Int64) {
        let (since, overflow) = unixNanoseconds.subtractingReportingOverflow(origin)
        if !overflow { now = max(now, since) }
    }

    private mutating func put(_ record: Record) {
        records.append(ArchiveRecords.Timed(at: Instant(nanoseconds: now), record: record))
    }

    private var at: Instant { Instant(nanoseconds: now) }

    // MARK: The connection

    private mutating func begin() {
        put(
            .connection(
                ConnectionRow(
                    id: connection, at: at, listener: "", client: exchange.client, mode: .archive)))
        let client = try? HTTPAuthority.parse(exchange.client, defaultPort: 0)
        put(
            .leg(
                LegRow(
                    id: legs.client, connection: connection, peer: .client, at: at,
                    host: client?.host ?? "", port: client?.port ?? 0)))
        put(
            .leg(
                LegRow(
                    id: legs.server, connection: connection, peer: .server, at: at,
                    host: url.authority.host, port: url.authority.port)))
        if exchange.response != nil || exchange.status == 101 {
            let address =
                exchange.server.isEmpty
                ? ""
                : HTTPAuthority(host: exchange.server, port: url.authority.port).description
            event(.opened, legs.server, address)
        }
        guard url.isTLS else { return }
        let version = exchange.version.isEmpty ? "" : ", \(exchange.version)"
        for leg in [legs.client, legs.server] {
            event(.tls, leg, "synthesized from the archive: \(url.scheme)\(version)")
        }
    }

    private mutating func end(isSocket: Bool) {
        move(to: exchange.endedUnixNanoseconds)
        let hasAnswer = isSocket || exchange.response != nil
        let detail = exchange.error.isEmpty ? hasAnswer ? "closed" : "no response" : exchange.error
        event(.closed, legs.server, detail)
        event(.closed, legs.client, detail)
    }

    private mutating func event(_ kind: EventRow.Kind, _ leg: LegID, _ detail: String) {
        put(.event(EventRow(kind, connection: connection, leg: leg, at: at, detail: detail)))
    }

    private mutating func warn(_ detail: String) {
        put(.event(EventRow(.warning, connection: connection, at: at, detail: detail)))
    }

    // MARK: HTTP

    private func requestLine(_ isSocket: Bool) -> String {
        let isOld = exchange.version.uppercased() == "HTTP/1.0"
        // A WebSocket over HTTP/2 is a CONNECT (RFC 8441).
        let word = exchange.method.filter { $0.isASCII && !$0.isWhitespace && $0 != "\0" }
        let method = isSocket || word.isEmpty ? "GET" : word
        let target = method == "CONNECT" ? url.authority.description : url.target
        return "\(method) \(target) HTTP/\(isOld ? "1.0" : "1.1")\r\n"
    }

    private mutating func answer(_ response: ArchivedExchange.Message) {
        let role: ArchivedFields.Role =
            if exchange.method == "HEAD" || exchange.status == 304 {
                .bodiless
            } else if exchange.status == 204
                || (exchange.method == "CONNECT" && exchange.status < 300)
            {
                .empty
            } else {
                .response
            }
        let fields = ArchivedFields(response, as: role)
        for change in fields.changes { warn(change) }
        if role != .response, !response.body.isEmpty {
            warn("the archived body of this answer was left out: it cannot have been sent")
        }
        move(to: exchange.respondedUnixNanoseconds)
        send(
            statusLine(exchange.status, exchange.reason), fields, response, by: .server,
            endedAt: exchange.endedUnixNanoseconds)
    }

    private func statusLine(_ status: Int, _ reason: String) -> String {
        let isOld = exchange.version.uppercased() == "HTTP/1.0"
        let words = reason.filter { !$0.isNewline && $0 != "\0" }
        return "HTTP/\(isOld ? "1.0" : "1.1") \(status) \(words)\r\n"
    }

    /// Sends a head and its body: at once, or the body when the message ends.
    private mutating func send(
        _ line: String, _ fields: ArchivedFields, _ message: ArchivedExchange.Message,
        by sender: Peer, endedAt ended: Int64
    ) {
        let head = (Array(line.utf8) + fields.bytes)[...]
        var body: [ArraySlice<UInt8>] = []
        switch fields.framing {
        case .none: break
        case .plain: if !message.body.isEmpty { body = [message.body[...]] }
        case .chunked: body = Self.chunked(message.body)
        }
        let isLater = ended > origin && ended - origin > now
        if body.isEmpty || !isLater {
            send([head] + body, by: sender)
        } else {
            send([head], by: sender)
            move(to: ended)
            send(body, by: sender)
        }
        // What failed on its way is cut; what the archive alone lacks is a gap.
        guard message.missing > 0, fields.framing != .none, exchange.error.isEmpty else { return }
        move(to: ended)
        put(
            .gap(
                GapRow(
                    connection: connection, leg: sender == .client ? legs.client : legs.server,
                    sender: sender, at: at, until: at, count: message.missing, chunks: 1,
                    reason: .notCaptured)))
    }

    private static func chunked(_ body: [UInt8]) -> [ArraySlice<UInt8>] {
        let end = Array("0\r\n\r\n".utf8)[...]
        guard !body.isEmpty else { return [end] }
        let start = Array("\(String(body.count, radix: 16))\r\n".utf8)[...]
        return [start, body[...], [0x0D, 0x0A], end]
    }

    /// Sends bytes that follow each other, in chunks; joined before, they would all be there twice.
    private mutating func send(_ parts: [ArraySlice<UInt8>], by sender: Peer) {
        var piece: [UInt8] = []
        for part in parts {
            var rest = part
            while !rest.isEmpty {
                let taken = rest.prefix(ArchiveRecords.largestChunk - piece.count)
                piece += taken
                rest = rest.dropFirst(taken.count)
                if piece.count == ArchiveRecords.largestChunk { sendChunk(&piece, by: sender) }
            }
        }
        if !piece.isEmpty { sendChunk(&piece, by: sender) }
    }

    private mutating func sendChunk(_ bytes: inout [UInt8], by sender: Peer) {
        put(
            .chunk(
                Chunk(
                    connection: connection, leg: sender == .client ? legs.client : legs.server,
                    sender: sender, at: at, bytes: bytes)))
        bytes = []
    }

    // MARK: WebSocket

    private mutating func open(_ request: ArchivedFields) {
        var message = exchange.response ?? ArchivedExchange.Message()
        message.body = []
        message.missing = 0
        var fields = ArchivedFields(message, as: .empty)
        ArchivedHandshake.complete(response: &fields, to: request)
        if exchange.status != 101 {
            fields.say("the archive has messages and the status \(exchange.status): made 101")
        }
        for change in fields.changes { warn(change) }
        move(to: exchange.respondedUnixNanoseconds)
        let reason = exchange.status == 101 ? exchange.reason : "Switching Protocols"
        send(statusLine(101, reason), fields, message, by: .server, endedAt: .min)
        for (index, message) in exchange.messages.enumerated() {
            move(to: message.atUnixNanoseconds)
            let mask = message.sender == .client ? mask(index) : nil
            let frame = WebSocketFrameEncoder.encode(
                opcode: WebSocketOpcode(rawValue: UInt8(truncatingIfNeeded: message.opcode)),
                payload: message.payload, mask: mask)
            send([frame[...]], by: message.sender)
        }
    }

    /// A masking key that is another for each message (SplitMix64).
    private func mask(_ index: Int) -> UInt32 {
        let seed = UInt64(truncatingIfNeeded: connection.rawValue) &* 0x1_0000_01B3
        let key = SplitMix64.mixed(seed &+ UInt64(index + 1) &* SplitMix64.step)
        return UInt32(truncatingIfNeeded: key >> 32)
    }
}
