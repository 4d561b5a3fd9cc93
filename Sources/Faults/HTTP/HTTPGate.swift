import DequeModule
import Dissection
import Filters
import Framing
public import Wire

/// Judges the HTTP of one connection and carries out the actions of the rules.
///
/// A value without I/O. It follows both directions, and holds only what a decision needs: an
/// incomplete head, and bodies of at most ``maximumHeld`` bytes while rules need bodies. What
/// cannot be framed, tunnels and what follows an upgrade are forwarded unread.
public struct HTTPGate {
    /// The maximum number of bytes of a message held for a decision; larger bodies are forwarded,
    /// and rules about them are not evaluated.
    public static let maximumHeld = 1 << 20

    /// What happens to bytes.
    enum State {
        /// Messages are followed.
        case following
        /// Everything passes.
        case unread
        /// The client gets no further answers on this connection; what it sends is consumed.
        case deaf
        /// Nothing is forwarded in either direction.
        case over
    }

    /// A request that is not complete.
    struct Incoming {
        /// The exchange as long as it is not in ``waiting``.
        var exchange: LiveExchange
        var passage: MessagePassage
        var isForwarded = false
    }

    let context: GateContext
    let session: FaultSession
    var state = State.following
    var requests = HTTPFramer(role: .request)
    var responses = HTTPFramer(role: .response)
    /// Exchanges whose request was forwarded and whose response is not complete.
    var waiting: Deque<LiveExchange> = []
    var incoming: Incoming?
    /// The current response to the first of ``waiting``.
    var outgoing: MessagePassage?
    /// The start of a head that is not complete.
    var partialRequest: [UInt8] = []
    var partialResponse: [UInt8] = []
    /// Whether the start of a head was forwarded before there were rules.
    var hasPartlyPassed = [false, false]
    /// A response that belongs to no request is in progress.
    var isUnmatched = false
    /// The server that sends, where a client is connected to several.
    var speaker: GateContext.Server?
    /// What the client sent after a request that may change the protocol.
    var behind: [UInt8] = []
    private var later: [(at: Instant, firing: Firing)] = []
    var shaping: [Firing] = []
    private var exchanges = 0
    /// The interest of the rules in each phase, and the generation it was read in.
    private var conditions: [ExchangeCondition] = []
    private var generation = 0

    /// A gate at the start of a connection or tunnel.
    public init(_ context: GateContext, session: FaultSession) {
        self.context = context
        self.session = session
    }

    /// A gate that begins behind requests that are not answered yet, between two of the server's
    /// messages.
    init(_ context: GateContext, session: FaultSession, behind pending: PendingRequests) {
        self.init(context, session: session)
        waiting = Deque(pending.exchanges)
        exchanges = waiting.last?.number ?? 0
        for exchange in waiting { responses.expect(exchange.kind) }
    }

    /// A gate that begins after a request for another protocol, before its answer.
    init(
        _ context: GateContext, session: FaultSession, awaitingAnswerTo head: HTTPHead, at: Instant
    ) {
        var exchange = LiveExchange(number: 1, head: head, at: at)
        exchange.requestEndedAt = at
        var pending = PendingRequests()
        pending.append(exchange)
        self.init(context, session: session, behind: pending)
        requests = HTTPFramer(role: .request, isPaused: true)
    }

    /// Bytes held for a decision: starts of heads, messages, and what follows a request that may
    /// upgrade the connection.
    var heldBytes: Int {
        heldBytes(of: .client) + heldBytes(of: .server) + requests.heldBytes
            + responses.heldBytes
    }

    /// The same, and whether the start of a head is among it; mutating, since other accesses copy.
    mutating func holding() -> (bytes: Int, hasHead: Bool) {
        (heldBytes, !partialRequest.isEmpty || !partialResponse.isEmpty)
    }

    /// Those of one sender, without what framing keeps a copy of.
    func heldBytes(of sender: Peer) -> Int {
        switch sender {
        case .client: partialRequest.count + behind.count + (incoming?.passage.heldBytes ?? 0)
        case .server: partialResponse.count + (outgoing?.heldBytes ?? 0)
        }
    }

    /// Processes what the client sent.
    public mutating func request(
        _ bytes: [UInt8], at: Instant, into commands: inout [GateCommand]
    ) {
        guard !bytes.isEmpty else { return }
        refreshConditions()
        if case .following = state {
            followRequests(bytes, at, &commands)
            forwardReady(&commands)
        } else {
            giveOut(bytes[...], from: .client, &commands)
        }
    }

    /// Processes what the server sent.
    ///
    /// - Returns: The upgrade that it completes; the gate has ended then.
    public mutating func response(
        _ bytes: [UInt8], at: Instant, into commands: inout [GateCommand]
    ) -> HTTPSwitch? {
        guard !bytes.isEmpty else { return nil }
        refreshConditions()
        switch state {
        case .following, .deaf:
            let change = followResponses(bytes, at, &commands)
            forwardReady(&commands)
            return change
        case .unread, .over:
            giveOut(bytes[...], from: .server, &commands)
            return nil
        }
    }

    /// Notes that `sender` will send no more bytes: what was held is forwarded.
    public mutating func ended(
        _ sender: Peer, at: Instant, into commands: inout [GateCommand]
    ) {
        refreshConditions()
        switch sender {
        case .client:
            releaseRequest(at, &commands)
            failEdits(incoming?.passage.editor.end(), .client, at, &commands)
            flush(&commands, .client)
        case .server:
            endResponses(at, &commands)
        }
        forwardReady(&commands)
    }

    /// Notes that a requested time has come.
    public mutating func wake(at: Instant, into commands: inout [GateCommand]) {
        for due in later where due.at <= at {
            carryOut(due.firing, due.at, sender: nil, &commands)
        }
        later.removeAll { $0.at <= at }
    }

    /// What was to be done later, and is not done any more.
    mutating func takeLater() -> [Firing] {
        defer { later = [] }
        return later.map(\.firing)
    }

    /// Firings that a shaper has to carry out, each given once.
    public mutating func takeShaping() -> [Firing] {
        defer { shaping = [] }
        return shaping
    }

    // MARK: Shared

    /// Forwards what is held for a decision that will not be made any more.
    mutating func forwardReady(_ commands: inout [GateCommand]) {
        switch state {
        case .following: return
        case .deaf: break
        case .unread, .over: flush(&commands, .server)
        }
        flush(&commands, .client)
    }

    /// Whether heads of requests have to be judged, and so to be buffered while they are
    /// incomplete.
    var judgesRequests: Bool {
        !session.interest.isDisjoint(with: [.requestHead, .requestBody])
    }

    /// Whether what is sent has to be kept for filters that are evaluated later.
    var keepsContent: Bool {
        !session.interest.isDisjoint(with: [.requestBody, .responseHead, .responseBody])
    }

    /// A new exchange.
    mutating func open(_ head: HTTPHead, _ at: Instant) -> LiveExchange {
        exchanges += 1
        return LiveExchange(number: exchanges, head: head, at: at)
    }

    /// Notes rules that changed.
    private mutating func refreshConditions() {
        let now = session.generation
        guard now != generation else { return }
        generation = now
        conditions = session.exchangeConditions
    }

    /// Evaluates the rules for an exchange.
    func judge(
        _ exchange: LiveExchange, _ phase: FilterPhase, _ at: Instant, endedAt: Instant? = nil,
        only kinds: Set<ActionKind>? = nil
    ) -> [Firing] {
        guard session.interest.contains(FaultInterest(phase)) else { return [] }
        var prefilter = ExchangePrefilter()
        guard prefilter.fits(conditions[phase.rawValue], exchange, context) else { return [] }
        let subject = LiveSubject(exchange, context, endedAt: endedAt)
        return session.judge(
            subject, phase: phase, scope: subject.scope, at: at, only: kinds)
    }

    /// Forwards bytes that are not judged.
    func giveOut(
        _ bytes: ArraySlice<UInt8>, from sender: Peer, _ commands: inout [GateCommand]
    ) {
        guard !bytes.isEmpty else { return }
        switch (state, sender) {
        case (.following, _), (.unread, _), (.deaf, .server):
            commands.pass(bytes, from: sender)
        case (.deaf, .client), (.over, .client):
            commands.append(.keep(sender: sender, Array(bytes)))
        case (.over, .server):
            commands.append(.replace(sender: sender, Array(bytes), by: []))
        }
    }

    /// Forwards the start of a head, and what follows an upgrade request.
    mutating func flush(_ commands: inout [GateCommand], _ sender: Peer) {
        switch sender {
        case .client:
            giveOut(partialRequest[...], from: .client, &commands)
            giveOut(behind[...], from: .client, &commands)
            (partialRequest, behind) = ([], [])
        case .server:
            giveOut(partialResponse[...], from: .server, &commands)
            partialResponse = []
        }
    }

    /// The connection cannot be followed any further: everything held is forwarded, and so is what
    /// follows.
    mutating func giveUp(_ at: Instant, _ commands: inout [GateCommand]) {
        releaseRequest(at, &commands)
        releaseResponse(at, &commands)
        cutStream(&commands)
        failEdits(incoming?.passage.editor.end(), .client, at, &commands)
        failEdits(outgoing?.editor.end(), .server, at, &commands)
        if case .following = state { state = .unread }
        requests.giveUp()
        responses.giveUp()
        flush(&commands, .client)
        flush(&commands, .server)
    }

    /// Reports a fault that was applied.
    func tell(
        _ firing: Firing, _ at: Instant, _ sender: Peer?, hasTaken: Bool = false,
        detail: String? = nil, _ commands: inout [GateCommand]
    ) {
        commands.append(
            .fault(
                firing.row(
                    at: at, connection: context.connection, sender: sender, hasTaken: hasTaken,
                    detail: detail)))
    }

    /// States that actions could not be carried out, and why; the rules count them.
    func fail(
        _ firings: some Sequence<Firing>, _ at: Instant, _ sender: Peer?, _ problem: String,
        _ commands: inout [GateCommand]
    ) {
        for firing in firings {
            session.fail(firing)
            commands.append(
                .fault(
                    firing.row(
                        at: at, connection: context.connection, sender: sender, problem: problem)))
        }
    }

    /// Does something to the connection, now or when its time has come.
    mutating func carryOutInTime(
        _ firing: Firing, _ at: Instant, sender: Peer?, _ commands: inout [GateCommand]
    ) {
        guard firing.afterNanoseconds > 0 else {
            carryOut(firing, at, sender: sender, &commands)
            return
        }
        let due = at.later(by: firing.afterNanoseconds)
        later.append((due, firing))
        commands.append(.wake(at: due))
    }

    private mutating func carryOut(
        _ firing: Firing, _ at: Instant, sender: Peer?, _ commands: inout [GateCommand]
    ) {
        let action = firing.action
        if !firing.isStatedByShaper { tell(firing, at, sender, &commands) }
        let named: Peer? =
            switch action.text("sender") {
            case "client": .client
            case "server": .server
            default: nil
            }
        switch action.kind {
        case .close, .reset:
            commands.append(.close(isReset: action.kind == .reset))
            state = .over
        case .halfClose:
            commands.append(.end(sender: named ?? .server))
        case .stall:
            for peer in named.map({ [$0] }) ?? Peer.allCases {
                commands.append(.stall(sender: peer))
            }
        default:
            shaping.append(firing)
        }
    }
}

extension Instant {
    /// The time so many nanoseconds later; the last there is where that is too late.
    func later(by nanoseconds: Int64) -> Instant {
        let (sum, isFar) = self.nanoseconds.addingReportingOverflow(max(0, nanoseconds))
        return Instant(nanoseconds: isFar ? .max : sum)
    }
}

extension [GateCommand] {
    /// Passes bytes on, in one piece with those before them.
    mutating func pass(_ bytes: ArraySlice<UInt8>, from sender: Peer) {
        guard !bytes.isEmpty else { return }
        if case .pass(sender, var earlier) = last {
            removeLast()
            earlier += bytes
            append(.pass(sender: sender, earlier))
        } else {
            append(.pass(sender: sender, [UInt8](bytes)))
        }
    }
}
