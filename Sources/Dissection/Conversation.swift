import Framing
import Wire

/// One connection as the decoders see it: which protocol is spoken now, and what is open.
///
/// A reference, since it is found by its connection for every chunk and changed in place; used on
/// the dissector's thread alone.
final class Conversation {
    /// What is spoken.
    private enum Layer {
        /// Nothing was seen since the connection, or the tunnel in it, was opened.
        case undecided
        case http(HTTPConversation)
        case webSocket(WebSocketConversation)
        /// Bytes are missing: what comes is kept and not read until a client's read begins like a
        /// request.
        case lost
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

    /// Whether all its legs are closed, so that nothing can follow.
    var isOver: Bool { context.isOver }

    /// A leg belongs to this connection.
    func add(_ leg: LegRow) { context.add(leg) }

    /// Takes the bytes of one chunk.
    func consume(_ chunk: Chunk, id: ChunkID) {
        let bytes = chunk.received
        guard !bytes.isEmpty else { return }
        consume(
            Piece(
                bytes: bytes[...], sender: chunk.sender, leg: chunk.leg, at: chunk.at,
                isLocal: chunk.origin == .tapedeck, chunk: id,
                isPatched: !chunk.patches.isEmpty))
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
        case .lost:
            guard piece.sender == .client, piece.bytes.first.map(StartOfStream.isHTTP) == true
            else {
                return
            }
            decide(by: piece)
        case .opaque:
            return
        }
    }

    /// Chooses the layer by the first byte that a client sends; a server that speaks first speaks
    /// something else.
    private func decide(by piece: Piece) {
        guard let first = piece.bytes.first else { return }
        if piece.sender == .client, StartOfStream.isHTTP(first) {
            layer = .http(HTTPConversation(context: context, limits: limits, output: output))
            consume(piece)
        } else {
            layer = .opaque
            output.emit(
                .note(
                    NoteRow(
                        connection: context.row.id, sender: piece.sender, at: piece.at,
                        place: piece.place, code: ConversationNote.unknownStream.rawValue,
                        says: "these bytes are no HTTP request; they are kept and not decoded")))
        }
    }

    /// Carries out a change of protocol that a response agreed to.
    private func turn(_ change: HTTPConversation.Switch) {
        switch change.protocolName {
        case .tunnel:
            layer = .undecided
        case .webSocket(let deflate):
            layer = .webSocket(
                WebSocketConversation(
                    exchange: change.exchange, deflate: deflate, context: context, limits: limits,
                    output: output))
        case .other:
            layer = .opaque
        }
        for piece in change.rest { consume(piece) }
    }

    /// Takes what happened that is not bytes.
    func consume(_ event: EventRow) {
        switch event.kind {
        case .tls:
            if let leg = event.leg { context.setTLS(leg) }
        case .raw:
            finishLayer(at: event.at, why: "what follows is relayed unread")
            layer = .opaque
        case .refused, .tlsFailed:
            // The answer that says so, or the close of the client's leg, follows.
            if let id = event.leg, context.peer(of: id) == .server { context.close(id) }
        case .closed:
            guard let id = event.leg else { return }
            let peer = context.peer(of: id)
            context.close(id)
            let why = event.says.isEmpty ? event.kind.rawValue : event.says
            switch layer {
            case .http(let http):
                http.legClosed(id, peer: peer, at: event.at, why: why)
            case .webSocket(let socket):
                if context.isOver { socket.finish(at: event.at) }
            case .undecided, .lost, .opaque:
                break
            }
            if context.isOver { finish(at: event.at, why: why) }
        case .ended, .opened, .passthrough, .warning, .sessionEnded:
            return
        }
    }

    /// Bytes are missing: what was open can not be trusted any more, and the decoders have to find
    /// the next place where something begins.
    func lostBytes(_ gap: GapRow) {
        switch layer {
        case .webSocket(let socket):
            socket.lostBytes(of: gap.sender, at: gap.at)
        case .undecided, .http, .lost:
            finishLayer(at: gap.at, why: "bytes are missing here (\(gap.reason.rawValue))")
            layer = .lost
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
        case .undecided, .lost, .opaque: break
        }
        layer = .opaque
    }
}
