import Framing
import Wire

/// One connection as both of its peers had it.
///
/// Nearly always both had the same, and one conversation decodes it for both. From the first
/// difference on a second one decodes what the server had, beside that of the client, and
/// ``SideJoin`` tells apart what is not the same; as soon as both are in the same state again, one
/// is enough. Since documents in progress cannot be copied, what came since nothing was open is
/// kept, and the second conversation reads it again.
///
/// A reference, since it is found by its connection for every chunk and changed in place; used on
/// the dissector's thread alone.
final class SidedConversation {
    /// Something that a conversation processes.
    private enum Input {
        case leg(LegRow)
        case chunk(Chunk, ChunkID)
        /// One that counts as had by both as the client had it.
        case common(Chunk, ChunkID)
        case event(EventRow)
        case gap(GapRow)

        var byteCount: Int {
            switch self {
            case .chunk(let chunk, _), .common(let chunk, _): chunk.bytes.count
            case .leg, .event, .gap: 64
            }
        }
    }

    /// What there is while the sides differ.
    private struct Apart {
        let server: Conversation
        var join: SideJoin
    }

    private let output: DissectorOutput
    private let limits: DissectionLimits
    /// The client's side, and the server's as well while they do not differ.
    private let client: Conversation
    private var apart: Apart?
    /// Whether events say when a leg is open.
    private let isProxied: Bool
    /// Legs to servers that are being connected to.
    private var unopened: Set<LegID> = []
    /// What was lost before, and may be received yet.
    private var lost = LostRows()

    /// The client's side when nothing was open last, and what came since.
    private var start: Conversation?
    private var since: [Input] = []
    private var sinceBytes = 0

    /// Gets the rows of the server's side, with numbers of its own.
    private let spare = DissectorOutput(numbers: SideJoin.provisional)

    init(_ row: ConnectionRow, limits: DissectionLimits, output: DissectorOutput) {
        self.limits = limits
        self.output = output
        isProxied = row.mode == .forward || row.mode == .reverse
        client = Conversation(row, limits: limits, output: output)
    }

    /// Whether all its legs are closed, so that nothing can follow.
    var isOver: Bool { client.isOver }

    /// How far HTTP is framed on the client's side.
    var framing: HTTPFraming? { client.framing }

    /// What it was last counted to hold, in bytes.
    var accounted = 0

    /// Bytes that it holds of what is in progress, roughly, and the same for the same records.
    var heldBytes: Int {
        client.heldBytes + sinceBytes
            + (apart.map { $0.server.heldBytes + $0.join.heldBytes } ?? lost.heldBytes)
    }

    /// Discards the largest of what it holds, since `limit` bytes are held in all.
    func shed(at: Instant, limit: Int) {
        if sinceBytes > BodyCollector.leftOfShed { forgetStart() }
        following { conversation, _ in conversation.shed(at: at, limit: limit) }
    }

    /// A leg belongs to this connection.
    func add(_ leg: LegRow) {
        if leg.peer == .server, isProxied { unopened.insert(leg.id) }
        consume(.leg(leg))
    }

    /// Takes the bytes of one chunk.
    func consume(_ chunk: Chunk, id: ChunkID) {
        if !unopened.isEmpty, chunk.sender == .server, chunk.origin == .peer {
            unopened.remove(chunk.leg)
        }
        guard !opensTunnel(chunk) else { return consume(.common(chunk, id)) }
        if apart == nil, chunk.differs { part() }
        consume(.chunk(chunk, id))
    }

    /// Whether this is the proxy's own answer to a request for a tunnel.
    ///
    /// Such a request is to the proxy: no server received it, and what follows on both sides is what
    /// is inside the tunnel.
    private func opensTunnel(_ chunk: Chunk) -> Bool {
        chunk.origin == .tapedeck && chunk.sender == .server && isAskingForTunnel
    }

    private var isAskingForTunnel: Bool { client.open.first?.kind == .connect }

    /// Processes what happened that is not bytes.
    func consume(_ event: EventRow) {
        let lost = unreached(by: event)
        if lost != nil, apart == nil, !client.open.isEmpty { part() }
        if lost == nil { decided(by: event) }
        consume(.event(event))
        guard let lost else { return }
        forgetUnanswered(by: lost)
        // What else waited for this is known now.
        if decided(by: event) { following { _, _ in } }
    }

    /// Notes that it is known now whether a server was reached.
    ///
    /// - Returns: Whether it was not known before.
    @discardableResult private func decided(by event: EventRow) -> Bool {
        switch event.kind {
        case .opened, .refused, .tlsFailed, .closed:
            guard let leg = event.leg else { return false }
            return unopened.remove(leg) != nil
        default: return false
        }
    }

    /// The leg to a server that was not reached, so that what was sent to it is lost; nil for none.
    private func unreached(by event: EventRow) -> LegID? {
        guard let leg = event.leg, client.peer(of: leg) == .server, !isAskingForTunnel else {
            return nil
        }
        return switch event.kind {
        case .refused, .tlsFailed: leg
        // The client disconnected while it was being connected.
        case .undelivered, .closed: unopened.contains(leg) ? leg : nil
        default: nil
        }
    }

    /// Bytes are missing on both sides.
    func lostBytes(_ gap: GapRow) { consume(.gap(gap)) }

    /// Closes what is still open.
    func finish(at: Instant, why: String) {
        unopened = []
        following { conversation, _ in conversation.finish(at: at, why: why) }
        forgetStart()
    }

    // MARK: Together

    private func consume(_ input: Input) {
        if apart == nil { remember(input) }
        following { conversation, peer in Self.apply(input, to: conversation, peer) }
        joinAgain()
    }

    private static func apply(_ input: Input, to conversation: Conversation, _ peer: Peer) {
        switch input {
        case .leg(let row): conversation.add(row)
        case .chunk(let chunk, let id): conversation.consume(chunk, id: id, hadBy: peer)
        case .common(let chunk, let id): conversation.consume(chunk, id: id, hadBy: .client)
        case .event(let row): conversation.consume(row)
        case .gap(let row): conversation.lostBytes(row)
        }
    }

    /// Keeps what is needed to read the server's side by itself from the last quiet moment on.
    private func remember(_ input: Input) {
        if client.mayBeCopied {
            guard client.mayTurnUncopyable else { return forgetStart() }
            start = client.copied(output: spare)
            since = [input]
            sinceBytes = input.byteCount
            return
        }
        guard start != nil else { return }
        since.append(input)
        sinceBytes += input.byteCount
        if sinceBytes > limits.heldSinceQuiet { forgetStart() }
    }

    private func forgetStart() {
        guard start != nil || !since.isEmpty else { return }
        start = nil
        since = []
        sinceBytes = 0
    }

    // MARK: Apart

    /// Begins to read the server's side by itself.
    ///
    /// Where too much was open for that, what is open stays on both sides as the client has it.
    private func part() {
        let server: Conversation
        if client.mayBeCopied {
            server = client.copied(output: spare)
        } else if let start {
            server = start
            for input in since { Self.apply(input, to: server, .server) }
        } else {
            return
        }
        var join = SideJoin(recent: client.recent, lost: lost)
        var before: [DerivedRow] = []
        spare.trade(&before)
        spare.dropOpen()
        join.begin(with: before, client: client, server: server)
        apart = Apart(server: server, join: join)
        forgetStart()
    }

    /// Has each side's conversation do something, and joins what comes of it.
    private func following(_ step: (Conversation, Peer) -> Void) {
        guard var apart else { return step(client, .client) }
        self.apart = nil
        var rows: [DerivedRow] = []
        output.trade(&rows)
        step(client, .client)
        output.trade(&rows)
        step(apart.server, .server)
        var others: [DerivedRow] = []
        spare.trade(&others)
        spare.dropOpen()
        apart.join.take(
            rows, others, client: client, server: apart.server, isReached: unopened.isEmpty, output)
        self.apart = apart
    }

    private func joinAgain() {
        guard let apart, client.isQuiet, apart.server.isQuiet, client.isLike(apart.server),
            apart.join.isSettled
        else { return }
        lost = apart.join.lost
        self.apart = nil
    }

    /// The server of what waits was never reached.
    private func forgetUnanswered(by leg: LegID) {
        guard var apart else { return }
        self.apart = nil
        apart.join.forget(apart.server.forgetUnanswered(by: leg), output)
        self.apart = apart
    }
}
