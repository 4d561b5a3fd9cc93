import Filters
public import Framing
public import Wire

/// Judges everything that passes on one connection, or in one tunnel of it.
///
/// A value without I/O: it takes the bytes of both peers and returns ``GateCommand``s. It begins
/// with HTTP, follows an upgrade to WebSocket, and forwards everything else unread.
public struct FaultGate {
    private var context: GateContext
    private let session: FaultSession
    private var http: HTTPGate?
    private var webSocket: WebSocketGate?
    private var shaper = Shaper()
    private var generation = 0
    /// What is to be done to the connection later.
    private var later: [(at: Instant, firing: Firing)] = []
    private var endedPeers: Set<Peer> = []

    /// A gate for a connection on which HTTP begins.
    public init(_ context: GateContext, session: FaultSession) {
        self.context = context
        self.session = session
        http = HTTPGate(context, session: session)
    }

    /// A gate that begins behind requests that are not answered yet, between two of the server's
    /// messages.
    public init(
        _ context: GateContext, session: FaultSession, behind pending: PendingRequests
    ) {
        self.context = context
        self.session = session
        http = HTTPGate(context, session: session, behind: pending)
    }

    /// A gate that begins after a request for another protocol, before its answer.
    public init(
        _ context: GateContext, session: FaultSession, awaitingAnswerTo head: HTTPHead, at: Instant
    ) {
        self.context = context
        self.session = session
        http = HTTPGate(context, session: session, awaitingAnswerTo: head, at: at)
    }

    /// A gate that begins in the middle of messages: until it is restarted they all pass, and only
    /// what is done to the connection itself is.
    public init(passing context: GateContext, session: FaultSession) {
        self.context = context
        self.session = session
    }

    /// Whether it inspects no message.
    public var isPassing: Bool { http == nil && webSocket == nil }

    /// Bytes that wait in it for a decision.
    public var heldBytes: Int { (http?.heldBytes ?? 0) + (webSocket?.heldBytes ?? 0) }

    /// What waits in it; mutating, since to ask the properties of its parts makes copies of them all.
    public mutating func holding() -> (bytes: Int, hasHead: Bool) {
        let held: (bytes: Int, hasHead: Bool) = http?.holding() ?? (0, false)
        return (held.bytes + (webSocket?.holding() ?? 0), held.hasHead)
    }

    /// Bytes of one sender that it was given and that did not come out of it yet.
    public func heldBytes(of sender: Peer) -> Int {
        (http?.heldBytes(of: sender) ?? 0) + (webSocket?.lanes[sender.rawValue].heldCount ?? 0)
    }

    /// Whether the start of a head waits for the rest of it.
    public var isHoldingHead: Bool {
        http.map { !$0.partialRequest.isEmpty || !$0.partialResponse.isEmpty } ?? false
    }

    /// The rest of a head did not arrive in time: the bytes held are forwarded, and nothing is
    /// judged from now on.
    public mutating func giveUpHead(at: Instant, into commands: inout [GateCommand]) {
        guard isHoldingHead else { return }
        var made: [GateCommand] = []
        http?.giveUp(at, &made)
        finish(made, at, &commands)
    }

    /// Whether messages of a WebSocket are followed.
    public var isWebSocket: Bool { webSocket != nil }

    /// Whether none of its state has to be kept when HTTP starts again.
    public var isSpent: Bool { shaper.isIdle && later.isEmpty }

    /// HTTP starts again: in a tunnel, or inside the client's TLS.
    public mutating func restart(_ context: GateContext) {
        self.context = context
        http = HTTPGate(context, session: session)
        webSocket = nil
    }

    /// The client connected.
    public mutating func opened(at: Instant, into commands: inout [GateCommand]) {
        judgeConnection(at, &commands)
    }

    /// Takes what `sender` sent.
    ///
    /// - Parameters:
    ///   - bytes: What was sent.
    ///   - sender: Who sent it.
    ///   - server: The server that sent it, where a client is connected to several.
    ///   - at: When.
    ///   - commands: Gains what to do.
    public mutating func take(
        _ bytes: [UInt8], from sender: Peer, of server: GateContext.Server? = nil, at: Instant,
        into commands: inout [GateCommand]
    ) {
        var made: [GateCommand] = []
        if sender == .server { http?.speaker = server }
        judgeConnection(at, &made)
        judge(bytes, from: sender, at, &made)
        finish(made, at, &commands)
    }

    /// Notes that `sender` will send no more bytes.
    public mutating func ended(
        _ sender: Peer, at: Instant, into commands: inout [GateCommand]
    ) {
        var made: [GateCommand] = []
        http?.ended(sender, at: at, into: &made)
        webSocket?.ended(sender, at: at, into: &made)
        endedPeers.insert(sender)
        if endedPeers.count == Peer.allCases.count { failLater(at, &made) }
        finish(made, at, &commands)
    }

    /// Takes that what the server sent last was no answer, or that another server's bytes follow.
    public mutating func evictUnmatched(at: Instant, into commands: inout [GateCommand]) {
        var made: [GateCommand] = []
        http?.evictUnmatched(&made)
        finish(made, at, &commands)
    }

    /// Notes that a requested time has come.
    public mutating func wake(at: Instant, into commands: inout [GateCommand]) {
        var made: [GateCommand] = []
        for due in later where due.at <= at { carryOut(due.firing, due.at, &made) }
        later.removeAll { $0.at <= at }
        http?.wake(at: at, into: &made)
        webSocket?.wake(at: at, into: &made)
        finish(made, at, &commands)
    }

    /// Carries out an action once, now, on request.
    ///
    /// - Returns: Whether it can be carried out on this connection.
    public mutating func fire(
        _ firing: Firing, at: Instant, into commands: inout [GateCommand]
    ) -> Bool {
        var made: [GateCommand] = []
        switch firing.action.kind {
        case .close, .reset, .halfClose, .latency, .bandwidth, .slice, .stall, .cut, .blackout:
            carryOut(firing, at, &made)
        default:
            guard webSocket != nil else { return false }
            webSocket?.fire(firing, at: at, into: &made)
        }
        finish(made, at, &commands)
        return true
    }

    /// Whether so much of a sender is held for a decision that it is read no further.
    public func holdsMuch(of sender: Peer) -> Bool {
        webSocket?.holdsMuch(of: sender) ?? false
    }

    /// The messages in it that somebody has to decide about, oldest first.
    public var held: [HeldMessage] { webSocket?.heldMessages ?? [] }

    /// Carries out what was decided about a message that is held in it.
    ///
    /// - Returns: Whether it is.
    public mutating func decide(
        _ id: HeldMessage.ID, _ decision: HoldDecision, at: Instant,
        into commands: inout [GateCommand]
    ) -> Bool {
        var made: [GateCommand] = []
        let isHeld = webSocket?.decide(id, decision, at: at, into: &made) ?? false
        finish(made, at, &commands)
        return isHeld
    }

    /// A request that it gave out to be held is answered, and not forwarded.
    public mutating func withdraw(
        _ request: HeldMessage, at: Instant, into commands: inout [GateCommand]
    ) {
        var made: [GateCommand] = []
        http?.withdraw(request.exchange, at, &made)
        finish(made, at, &commands)
    }

    /// Evaluates the rules about the connection itself that were not evaluated yet.
    private mutating func judgeConnection(_ at: Instant, _ commands: inout [GateCommand]) {
        let now = session.generation
        guard now != generation else { return }
        let since = generation
        generation = now
        guard session.interest.contains(.connection) else { return }
        let firings = session.judge(
            ConnectionSubject(context), phase: .connection,
            scope: FaultScope(connection: context.connection, client: context.client, key: ""),
            at: at, since: since)
        for firing in firings {
            guard firing.afterNanoseconds > 0 else {
                carryOut(firing, at, &commands)
                continue
            }
            let due = Instant(nanoseconds: at.nanoseconds + firing.afterNanoseconds)
            later.append((due, firing))
            commands.append(.wake(at: due))
        }
    }

    /// Does something to the connection itself.
    private mutating func carryOut(
        _ firing: Firing, _ at: Instant, _ commands: inout [GateCommand]
    ) {
        if !firing.isStatedByShaper {
            commands.append(
                .fault(firing.row(at: at, connection: context.connection, sender: nil)))
        }
        switch firing.action.kind {
        case .close: commands.append(.close(isReset: false))
        case .reset, .refuse: commands.append(.close(isReset: true))
        case .halfClose:
            commands.append(
                .end(sender: firing.action.text("sender") == "client" ? .client : .server))
        default: _ = shaper.add(firing, at: at)
        }
    }

    /// States what was to be done later on a connection that has ended.
    private mutating func failLater(_ at: Instant, _ commands: inout [GateCommand]) {
        let waiting =
            later.map(\.firing) + (http?.takeLater() ?? []) + (webSocket?.takeLater() ?? [])
        later = []
        fail(waiting, "the connection ended before", at, &commands)
        fail(
            shaper.takeUnreached(isOver: true), "the connection ended before so many bytes came",
            at, &commands)
    }

    private func fail(
        _ firings: [Firing], _ problem: String, _ at: Instant, _ commands: inout [GateCommand]
    ) {
        for firing in firings {
            session.fail(firing)
            commands.append(
                .fault(
                    firing.row(
                        at: at, connection: context.connection, sender: nil, problem: problem)))
        }
    }

    private mutating func judge(
        _ bytes: [UInt8], from sender: Peer, _ at: Instant, _ commands: inout [GateCommand]
    ) {
        if webSocket != nil {
            webSocket?.take(bytes, from: sender, at: at, into: &commands)
        } else if sender == .client, http != nil {
            http?.request(bytes, at: at, into: &commands)
        } else if let change = http?.response(bytes, at: at, into: &commands) {
            turn(change, at, &commands)
        } else if http == nil {
            commands.append(.pass(sender: sender, bytes))
        }
    }

    /// The server agreed to another protocol.
    private mutating func turn(
        _ change: HTTPSwitch, _ at: Instant, _ commands: inout [GateCommand]
    ) {
        http = nil
        if change.isWebSocket {
            webSocket = WebSocketGate(context, handshake: change, session: session)
        }
        if !change.serverRest.isEmpty { judge(change.serverRest, from: .server, at, &commands) }
        if !change.clientRest.isEmpty { judge(change.clientRest, from: .client, at, &commands) }
    }

    /// Appends the decided commands, delayed by the shaper.
    private mutating func finish(
        _ made: [GateCommand], _ at: Instant, _ commands: inout [GateCommand]
    ) {
        for firing in http?.takeShaping() ?? [] { _ = shaper.add(firing, at: at) }
        for firing in webSocket?.takeShaping() ?? [] { _ = shaper.add(firing, at: at) }
        fail(
            shaper.takeUnreached(isOver: false), "another cut came before so many bytes", at,
            &commands)
        if shaper.isIdle {
            commands += made
        } else {
            shaper.shape(made, at: at, on: context.connection, into: &commands)
        }
    }
}
