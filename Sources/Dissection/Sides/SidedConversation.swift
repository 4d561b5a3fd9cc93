import Framing
import Wire

/// One connection as both of its peers had it.
///
/// Nearly always both had the same, and one conversation decodes it for both. From the first
/// difference on a second one decodes what the server had, beside that of the client, and
/// ``SideJoin`` tells apart what is not the same; as soon as both are in the same state again, one
/// is enough. Since documents in progress cannot be copied, what came since nothing was open is
/// kept, and within a request the second conversation reads it again.
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

        /// Whether a message may be in progress after it where none was before.
        var mayBeginMessage: Bool {
            switch self {
            case .chunk, .common, .gap: true
            case .leg, .event: false
            }
        }

        var byteCount: Int {
            switch self {
            case .chunk(let chunk, _), .common(let chunk, _): chunk.bytes.count
            case .leg, .event, .gap: 64
            }
        }
    }

    /// The client's side when nothing was open last.
    private enum Start {
        case quiet(Conversation.Quiet)
        case copy(Conversation)
    }

    /// What there is while the sides differ.
    private final class Apart {
        let server: Conversation
        var join: SideJoin

        init(server: Conversation, join: SideJoin) {
            self.server = server
            self.join = join
        }
    }

    /// What there is when the sides begin to differ.
    private struct Parting {
        let server: Conversation
        let recent: RecentRows
        let lost: LostRows
        /// What is open on each side.
        let clientOpen: [ExchangeRow]
        let serverOpen: [ExchangeRow]
        /// What was decoded of it on the server's side.
        let before: [DerivedRow]

        var join: SideJoin {
            var join = SideJoin(recent: recent, lost: lost)
            join.begin(with: before, client: clientOpen, server: serverOpen)
            return join
        }
    }

    private let output: DissectorOutput
    private let limits: DissectionLimits
    /// The client's side, and the server's as well while they do not differ.
    private let client: Conversation

    // Safety of all that follows: one input is processed at a time, and none leads to another.

    @exclusivity(unchecked) private var apart: Apart?
    /// Whether events say when a leg is open.
    private let isProxied: Bool
    /// Legs to servers that are being connected to, or secured.
    @exclusivity(unchecked) private var unopened: Set<LegID> = []
    /// What was lost before, and may be received yet.
    @exclusivity(unchecked) private var lost = LostRows()

    /// The client's side when nothing was open last, and what came since.
    @exclusivity(unchecked) private var start: Start?
    @exclusivity(unchecked) private var since: [Input] = []
    /// What was decoded of the requests that came since.
    @exclusivity(unchecked) private var sinceRows: [DerivedRow] = []
    @exclusivity(unchecked) private var sinceBytes = 0

    /// When the server had chunks that waited for the rest of their frame, by sender, in the order of
    /// peers; of each only those since no message of it was in progress.
    @exclusivity(unchecked) private var waited: [[ChunkID: Instant]] = [[:], [:]]
    private static let mostWaited = 256

    /// Gets the rows of the server's side.
    private var spare: DissectorOutput { output.ofServer }

    init(_ row: ConnectionRow, limits: DissectionLimits, output: DissectorOutput) {
        self.limits = limits
        self.output = output
        isProxied = [.forward, .reverse, .transparent].contains(row.mode)
        client = Conversation(row, limits: limits, output: output)
    }

    /// Whether all its legs are closed, so that nothing can follow.
    var isOver: Bool { client.isOver }

    /// How far HTTP is framed on the client's side.
    var framing: HTTPFraming? { client.framing }

    /// What it was last counted to hold, in bytes.
    @exclusivity(unchecked) var accounted = 0

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
        if apart == nil, chunk.differs {
            guard !waits(chunk, id) else { return consume(.common(chunk, id)) }
            if let parting = part() { return consume(chunk, id, after: parting) }
        }
        consume(.chunk(chunk, id))
    }

    /// Takes the chunk in which the sides begin to differ.
    ///
    /// Most often it has the answer to the one request that waits, and nothing is open after it on
    /// either side; then they are one again at once.
    private func consume(_ chunk: Chunk, _ id: ChunkID, after parting: Parting) {
        let server = parting.server
        var (rows, others) = gather(server) { conversation, peer in
            conversation.consume(chunk, id: id, hadBy: peer)
        }
        defer {
            output.reuse(&rows)
            spare.reuse(&others)
        }
        if unopened.isEmpty, parting.clientOpen.count == 1, client.isQuiet, server.isQuiet,
            client.isLike(server),
            ExchangeJoin.give(rows, others, before: parting.before, output)
        {
            return
        }
        let apart = Apart(server: server, join: parting.join)
        apart.join.take(
            rows, others, client: client, server: server, isReached: unopened.isEmpty, output)
        self.apart = apart
        joinAgain()
    }

    /// Whether a chunk is only the start of a frame of a WebSocket that went on with what came later,
    /// so that the message is not late for it.
    ///
    /// Notes when the server had it, for the case that the sides come apart within the message.
    private func waits(_ chunk: Chunk, _ id: ChunkID) -> Bool {
        guard let socket = client.webSocket, let at = chunk.allDeliveredAt,
            socket.isWithinFrame(chunk.bytes.span, of: chunk.sender)
        else { return false }
        if socket.isQuiet(chunk.sender) { waited[chunk.sender.rawValue] = [:] }
        if waited[chunk.sender.rawValue].count < Self.mostWaited {
            waited[chunk.sender.rawValue][id] = chunk.sender == .server ? chunk.at : at
        }
        return true
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
        if lost != nil, apart == nil, !client.open.isEmpty, let parting = part() {
            apart = Apart(server: parting.server, join: parting.join)
        }
        if lost == nil { decided(by: event) }
        if event.kind == .tls, isProxied, let leg = event.leg, client.peer(of: leg) == .client {
            // A server that was connected to before, by SOCKS or a redirection, is reached once TLS is up there too.
            unopened.formUnion(client.plainServerLegs)
        }
        consume(.event(event))
        if isOver { apart?.join.finish(output) }
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
        case .opened, .tls, .refused, .tlsFailed, .closed:
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
        apart?.join.finish(output)
        forgetStart()
    }

    // MARK: Together

    private func consume(_ input: Input) {
        if apart == nil { remember(input) }
        let before = output.count
        following { conversation, peer in Self.apply(input, to: conversation, peer) }
        if start != nil {
            // The next input begins anew.
            if client.isQuiet { forgetStart() } else { rememberRows(behind: before) }
        }
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
        if client.isQuiet || !client.mayTurnUncopyable {
            guard client.mayTurnUncopyable, input.mayBeginMessage else { return forgetStart() }
            start = client.quiet.map(Start.quiet) ?? .copy(client.copied(output: spare))
            since = []
            // Its response, most often.
            since.reserveCapacity(2)
            since.append(input)
            sinceRows = []
            sinceBytes = input.byteCount
            return
        }
        guard start != nil else { return }
        since.append(input)
        sinceBytes += input.byteCount
        if sinceBytes > limits.heldSinceQuiet { forgetStart() }
    }

    /// Keeps what was decoded of requests, which the server's side has as well.
    private func rememberRows(behind count: Int) {
        for row in output.rows(behind: count) where row.isOfRequest {
            sinceRows.append(row)
            sinceBytes += row.heldBytes
        }
        if sinceBytes > limits.heldSinceQuiet { forgetStart() }
    }

    private func forgetStart() {
        guard start != nil || !since.isEmpty else { return }
        start = nil
        since = []
        sinceRows = []
        sinceBytes = 0
    }

    // MARK: Apart

    /// Begins to read the server's side by itself.
    ///
    /// - Returns: That side; nil where too much was open for that, so that what is open stays on both
    ///   sides as the client has it.
    private func part() -> Parting? {
        let server: Conversation
        var before: [DerivedRow] = []
        if client.mayBeCopied, client.open.isEmpty || start != nil {
            server = client.copied(output: spare)
            before = sinceRows
        } else if let start {
            server =
                switch start {
                case .quiet(let quiet): Conversation(quiet, of: client, output: spare)
                case .copy(let copy): copy
                }
            for input in since { Self.apply(input, to: server, .server) }
            spare.trade(&before)
            spare.dropOpen()
        } else {
            return nil
        }
        for times in waited where !times.isEmpty { server.webSocket?.retime(times) }
        forgetStart()
        return Parting(
            server: server, recent: client.recent, lost: lost, clientOpen: client.open.map(\.row),
            serverOpen: server.open.map(\.row), before: before)
    }

    /// Has each side's conversation do something, and joins what comes of it.
    private func following(_ step: (Conversation, Peer) -> Void) {
        guard let apart else { return step(client, .client) }
        var (rows, others) = gather(apart.server, step)
        apart.join.take(
            rows, others, client: client, server: apart.server, isReached: unopened.isEmpty, output)
        output.reuse(&rows)
        spare.reuse(&others)
    }

    /// Has each side's conversation do something, and returns what comes of it.
    private func gather(
        _ server: Conversation, _ step: (Conversation, Peer) -> Void
    ) -> (rows: [DerivedRow], others: [DerivedRow]) {
        var earlier = output.begin()
        step(client, .client)
        let rows = output.end(&earlier)
        earlier = spare.begin()
        step(server, .server)
        let others = spare.end(&earlier)
        spare.dropOpen()
        return (rows, others)
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
        guard let apart else { return }
        apart.join.forget(apart.server.forgetUnanswered(by: leg), output)
    }
}

extension Chunk {
    /// When all of it went on, where that was later than it was read, and as it was.
    fileprivate var allDeliveredAt: Instant? {
        guard origin == .peer, patches.isEmpty, deliveries.count == 1,
            deliveries[0].offset == 0, deliveries[0].count == bytes.count
        else { return nil }
        return deliveries[0].at
    }
}
