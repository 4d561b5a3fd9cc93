import Framing
import Wire

/// One connection as the decoders see it: which protocol is used now, and what is open.
///
/// A reference, since it is found by its connection for every chunk and changed in place; used on
/// the dissector's thread alone.
final class Conversation {
    /// The protocol.
    private enum Layer {
        /// Nothing was seen since the connection, or the tunnel in it, was opened.
        case undecided
        case http(HTTPConversation)
        case webSocket(WebSocketConversation)
        /// Bytes that are kept and not read.
        case opaque
    }

    private let context: ConversationContext
    private let limits: DissectionLimits
    private let output: DissectorOutput
    private var layer: Layer = .undecided

    init(_ row: ConnectionRow, limits: DissectionLimits, output: DissectorOutput) {
        context = ConversationContext(row)
        self.limits = limits
        self.output = output
    }

    /// A conversation that goes on from where `other` is, and independently of it.
    ///
    /// Only of one for which ``mayBeCopied`` holds.
    private init(copying other: Conversation, output: DissectorOutput) {
        context = ConversationContext(copying: other.context)
        limits = other.limits
        self.output = output
        layer =
            switch other.layer {
            case .undecided: .undecided
            case .opaque: .opaque
            case .http(let http):
                .http(HTTPConversation(copying: http, context: context, output: output))
            case .webSocket(let socket):
                .webSocket(WebSocketConversation(copying: socket, context: context, output: output))
            }
    }

    /// A conversation in the same state that puts its rows into `output`.
    func copied(output: DissectorOutput) -> Conversation {
        Conversation(copying: self, output: output)
    }

    /// What a conversation that uses HTTP takes to go on from a quiet moment.
    struct Quiet {
        fileprivate let http: HTTPConversation.Quiet
        fileprivate let context: ConversationContext.State
    }

    /// What it takes to go on from here, which takes less than a copy; nil where only a copy can.
    var quiet: Quiet? {
        guard case .http(let http) = layer, let quiet = http.quiet else { return nil }
        return Quiet(http: quiet, context: context.state)
    }

    /// One that goes on from where `other`, of the same connection, was quiet.
    init(_ quiet: Quiet, of other: Conversation, output: DissectorOutput) {
        context = ConversationContext(copying: other.context, in: quiet.context)
        limits = other.limits
        self.output = output
        layer = .http(
            HTTPConversation(quiet.http, context: context, limits: limits, output: output))
    }

    /// Whether nothing is open that cannot be copied.
    ///
    /// Documents are followed by a library whose state nobody can copy.
    var mayBeCopied: Bool { if case .http(let http) = layer { http.mayBeCopied } else { true } }

    /// Whether what comes next may begin something that cannot be copied.
    var mayTurnUncopyable: Bool {
        switch layer {
        case .undecided, .http: true
        case .webSocket, .opaque: false
        }
    }

    /// What passed last, by which repetitions are recognized.
    var recent: RecentRows {
        switch layer {
        case .undecided, .opaque: RecentRows()
        case .http(let http): RecentRows(exchange: http.lastFinished?.row)
        case .webSocket(let socket): socket.recent
        }
    }

    /// How far HTTP is framed; nil where it is not HTTP now.
    var framing: HTTPFraming? {
        guard case .http(let http) = layer else { return nil }
        return HTTPFraming(
            requests: http.requests.stage, responses: http.responses.stage,
            responseLeg: http.responseLeg, isComplete: http.isComplete)
    }

    /// Whether no message of either peer is in progress.
    var isQuiet: Bool {
        switch layer {
        case .undecided, .opaque: true
        case .http(let http): http.isQuiet
        case .webSocket(let socket): socket.isQuiet
        }
    }

    /// Whether the same bytes give the same rows from here on as in `other`, where both are quiet.
    func isLike(_ other: Conversation) -> Bool {
        switch (layer, other.layer) {
        case (.undecided, .undecided), (.opaque, .opaque): true
        case (.http(let one), .http(let two)): one.isLike(two)
        case (.webSocket(let one), .webSocket(let two)): one.isLike(two)
        default: false
        }
    }

    /// Exchanges that are not finished.
    var open: [OpenExchange] { if case .http(let http) = layer { http.open } else { [] } }

    /// The server of a leg was never reached: what waits for its answer was not received.
    ///
    /// - Returns: The exchanges that are forgotten for it.
    func forgetUnanswered(by leg: LegID) -> [ExchangeID] {
        if case .http(let http) = layer { http.forgetUnanswered(by: leg) } else { [] }
    }

    /// Whether all its legs are closed, so that nothing can follow.
    var isOver: Bool { context.isOver }

    /// Who is at the other end of a leg that is open.
    func peer(of leg: LegID) -> Peer? { context.peer(of: leg) }

    /// The legs to servers on which TLS is not up.
    var plainServerLegs: [LegID] { context.plainServerLegs }

    /// Bytes that it holds of what is in progress, roughly, and the same for the same records.
    var heldBytes: Int {
        switch layer {
        case .http(let http): http.heldBytes
        case .webSocket(let socket): socket.heldBytes
        case .undecided, .opaque: 0
        }
    }

    /// Discards the largest of what it holds, since `limit` bytes are held in all.
    func shed(at: Instant, limit: Int) {
        let detail =
            "more than \(limit) bytes are open on all connections together, and this connection "
            + "has the most; what follows is in the chunks alone"
        switch layer {
        case .http(let http): http.shed(at: at, detail: detail)
        case .webSocket(let socket): socket.shed(at: at, detail: detail)
        case .undecided, .opaque: return
        }
    }

    /// The WebSocket that is used now; nil for other protocols.
    var webSocket: WebSocketConversation? {
        if case .webSocket(let socket) = layer { socket } else { nil }
    }

    /// A leg belongs to this connection.
    func add(_ leg: LegRow) { context.add(leg) }

    /// Takes what `peer` had of a chunk.
    func consume(_ chunk: Chunk, id: ChunkID, hadBy peer: Peer) {
        if let piece = Piece.whole(chunk, id: id, hadBy: peer) { return consume(piece) }
        for piece in Piece.pieces(of: chunk, id: id, hadBy: peer) { consume(piece) }
    }

    private func consume(_ piece: Piece) {
        guard !piece.bytes.isEmpty else { return }
        switch layer {
        case .undecided:
            decide(by: piece)
        case .http(let http):
            if let change = http.consume(piece) { turn(change) }
        case .webSocket(let socket):
            socket.consume(piece)
        case .opaque:
            return
        }
    }

    /// Chooses the layer by the first bytes of the client; a server that sends first uses another
    /// protocol, unless the capture began late.
    private func decide(by piece: Piece) {
        guard let first = piece.bytes.first else { return }
        if piece.sender == .client, mayBeginHTTP(first) || isSaidToProxy {
            layer = .http(HTTPConversation(context: context, limits: limits, output: output))
            consume(piece)
        } else if context.row.mode != .capture {
            layer = .opaque
            note(
                .unknownStream, piece,
                "these bytes are not an HTTP request; they are kept and not decoded")
        } else if isTLS(piece) {
            layer = .opaque
            note(
                .tlsEncrypted, piece,
                "this is TLS, and there are no keys for it; import the capture with the keys that "
                    + "a peer wrote (--keylog) to decrypt it")
        } else {
            note(
                .unknownStream, piece,
                "these bytes are not an HTTP request; what follows is not decoded until one begins")
            layer = .http(lateHTTP(at: piece.at))
            consume(piece)
        }
    }

    /// Whether a client that sends `byte` first may use HTTP.
    ///
    /// A capture that is late begins anywhere, and no method in use has small letters.
    private func mayBeginHTTP(_ byte: UInt8) -> Bool {
        StartOfStream.isHTTP(byte)
            && (!context.mayBeginAnywhere || !(0x61...0x7A).contains(byte))
    }

    /// Whether the client is connected to a proxy, which supports only HTTP and answers the rest,
    /// too.
    private var isSaidToProxy: Bool { context.row.mode == .forward && !context.isInTunnel }

    /// Whether captured bytes are a record of TLS, or the first byte of a handshake (RFC 8446, 5.1).
    private func isTLS(_ piece: Piece) -> Bool {
        let bytes = Array(piece.bytes.prefix(2))
        guard bytes.count == 2 else { return bytes.first.map(StartOfStream.isTLS) ?? false }
        return (0x14...0x17).contains(bytes[0]) && bytes[1] == 3
    }

    /// HTTP whose next request and response have to be found.
    private func lateHTTP(at: Instant) -> HTTPConversation {
        let http = HTTPConversation(context: context, limits: limits, output: output)
        http.begin(at: at)
        return http
    }

    /// Carries out a change of protocol that a response agreed to.
    private func turn(_ change: HTTPConversation.Switch) {
        switch change.protocolName {
        case .tunnel:
            context.beginTunnel()
            layer = .undecided
        case .webSocket(let exchange, let deflate):
            layer = .webSocket(
                WebSocketConversation(
                    exchange: exchange, deflate: deflate, context: context, limits: limits,
                    output: output))
        case .http2(let place, let at):
            finishLayer(at: at, why: "HTTP/2 follows")
            layer = .opaque
            note(.http2NotDecoded, at: at, place, .client, "this is HTTP/2, which is not decoded")
        case .other:
            layer = .opaque
        }
        for input in change.rest {
            switch input {
            case .bytes(let piece): consume(piece)
            case .gap(let gap): lostBytes(gap)
            }
        }
    }

    private func note(_ code: ConversationNote, _ piece: Piece, _ detail: String) {
        note(code, at: piece.at, piece.place, piece.sender, detail)
    }

    private func note(
        _ code: ConversationNote, at: Instant, _ place: Place, _ sender: Peer, _ detail: String
    ) {
        output.emit(
            .note(
                NoteRow(
                    connection: context.row.id, sender: sender, at: at, place: place,
                    code: code.rawValue, detail: detail)))
    }

    /// Processes what happened that is not bytes.
    func consume(_ event: EventRow) {
        switch event.kind {
        case .tls:
            if let leg = event.leg { context.setTLS(leg) }
        case .socks:
            context.beginTunnel()
        case .raw, .passthrough:
            // The end of a tunnel that is passed through is in no row, so that nothing may wait for it.
            finishLayer(at: event.at, why: "what follows is forwarded unread")
            layer = .opaque
        case .refused, .tlsFailed:
            // The answer that reports it, or the close of the client's leg, follows.
            if let id = event.leg, context.peer(of: id) == .server { context.close(id) }
            // Unless that was closed before.
            if context.isOver { finish(at: event.at, why: event.detail) }
        case .closed:
            guard let id = event.leg else { return }
            let peer = context.peer(of: id)
            context.close(id)
            let why = event.detail.isEmpty ? event.kind.rawValue : event.detail
            switch layer {
            case .http(let http):
                http.legClosed(id, peer: peer, at: event.at, why: why)
            case .webSocket(let socket):
                if context.isOver { socket.finish(at: event.at) }
            case .undecided, .opaque:
                break
            }
            if context.isOver { finish(at: event.at, why: why) }
        case .ended:
            guard let id = event.leg, context.peer(of: id) == .client, case .http(let http) = layer
            else { return }
            http.clientEnded(at: event.at)
        case .opened:
            context.isSeenFromStart = true
        case .upstream, .undelivered, .joined, .warning, .note, .sessionEnded:
            return
        }
    }

    /// Bytes are missing: the decoders pass over them where their place is certain, and else find
    /// the next place where something begins.
    func lostBytes(_ gap: GapRow) {
        switch layer {
        case .webSocket(let socket):
            socket.lostBytes(gap)
        case .http(let http):
            http.lostBytes(gap)
        case .undecided:
            let http = HTTPConversation(context: context, limits: limits, output: output)
            http.lostBytes(gap)
            layer = .http(http)
        case .opaque:
            return
        }
    }

    /// Closes what is still open.
    func finish(at: Instant, why: String) { finishLayer(at: at, why: why) }

    private func finishLayer(at: Instant, why: String) {
        switch layer {
        case .http(let http): http.finish(at: at, why: why)
        case .webSocket(let socket): socket.finish(at: at)
        case .undecided, .opaque: break
        }
        layer = .opaque
    }
}
