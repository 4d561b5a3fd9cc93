import DequeModule
import Faults
import Framing
import Wire

/// Applies the rules to the events between the sockets of one connection and its relay.
///
/// A value without I/O. What gates decide waits here until its time, each direction in order; a
/// connection without rules has no judge and costs nothing.
struct ConnectionJudge {
    /// Something that waits for its turn.
    enum Item {
        case command(GateCommand, leg: LegID?)
        case event(RelayEvent)
    }

    /// What waits of one sender.
    struct Lane {
        var items: Deque<Item> = []
        var bytes = 0
        var heldUntil: Instant?
        var isStalled = false
        var isHeldBack = false
    }

    let session: FaultSession
    let sessionID: SessionID
    var gate: FaultGate?
    /// Inspects requests while no gate is needed.
    var prefilter: HTTPPrefilter?
    /// Whether the gate was given bytes since the connection, or the tunnel in it, was opened.
    var isReading = false
    /// What waits for a gate, which cannot begin in the middle of a message.
    var suspects: [[UInt8]] = []
    /// What was forwarded before it.
    var pending = PendingRequests()
    var lanes = [Lane(), Lane()]
    /// When what waits in the gate, in the lanes and among the suspects was read.
    var reads = ReadTimes()
    private var serverLeg: LegID?
    /// The leg of a server whose bytes the gate was given last.
    private var judgedLeg: LegID?
    /// Times at which the gate is to be called again.
    private var alarms: [Instant] = []
    private var wakeAt: Instant?
    /// Whether waiting has ended.
    var isGivingUp = false
    /// The result of the rules for the host that is opened: evaluated once for its connection and
    /// its TLS.
    var openings: (host: String, firings: [Firing])?
    /// What is to be done to TLS of the client towards the last server, which has not begun.
    var unsecured: [Firing] = []

    /// Bytes that wait in one direction before its sender is read no further.
    static let patience = 64 << 10

    init(_ session: FaultSession, sessionID: SessionID) {
        self.session = session
        self.sessionID = sessionID
    }

    /// Whether messages of a WebSocket are followed.
    var isWebSocket: Bool { gate?.isWebSocket ?? false }

    /// Whether nothing waits for its turn.
    var isEmpty: Bool { lanes[0].items.isEmpty && lanes[1].items.isEmpty }

    /// A client connected.
    mutating func accepted(
        at: Instant, relay: inout Relay, into commands: inout [RelayCommand]
    ) {
        guard session.interest.contains(.connection) else { return }
        ask(.opened, .client, at, relay)
        drain(at, &relay, &commands)
        commands.placeFaults()
    }

    /// Processes an event and returns the commands for it, in order.
    mutating func handle(
        _ event: RelayEvent, at: Instant, relay: inout Relay,
        into commands: inout [RelayCommand]
    ) {
        if gate == nil, isPassing(event, at, &relay, &commands) { return }
        switch event {
        case .received(let leg, let bytes, let readAt) where !bytes.isEmpty:
            let sender: Peer = leg == relay.clientLeg.id ? .client : .server
            reads.append(bytes.count, of: leg, at: readAt ?? at)
            guard sender == .server else {
                judge(bytes, sender, at, relay)
                break
            }
            // What is no answer to anything is not judged as one.
            let isSurplus = relay.layer == .http && !relay.isOwed(by: leg)
            if gate != nil, judgedLeg.map({ ($0 == leg) == isSurplus }) ?? false {
                ask(.isUnmatched, sender, at, relay)
            }
            serverLeg = leg
            if isSurplus {
                wait(bytes, sender)
            } else {
                judgedLeg = leg
                judge(bytes, sender, at, relay)
            }
        case .ended(let leg), .closed(let leg, _, _):
            let sender: Peer = leg == relay.clientLeg.id ? .client : .server
            if gate != nil, sender == .client || judgedLeg == leg || relay.isOwed(by: leg) {
                ask(.ended(sender), sender, at, relay)
            }
            lanes[sender.rawValue].items.append(.event(event))
            if case .closed = event, sender == .client {
                failUnsecured(at, &relay, &commands)
                giveUp(at, &relay, &commands)
            }
        case .woke:
            wakeAt = nil
            if gate != nil { ask(.woken, .server, at, relay) }
        case .overdue:
            if gate != nil { ask(.overdue, .client, at, relay) }
            drain(at, &relay, &commands)
            give(event, at, &relay, &commands)
        default:
            give(event, at, &relay, &commands)
        }
        drain(at, &relay, &commands)
        startGate(at, &relay, &commands)
        followUpgrade(at, &relay, &commands)
        // Nothing waits for a peer that has disconnected.
        if relay.clientEnds == .closed, !isEmpty { giveUp(at, &relay, &commands) }
        commands.placeFaults()
    }

    /// Carries out an action once, now.
    ///
    /// - Returns: Whether it can be carried out on this connection.
    mutating func fire(
        _ firing: Firing, at: Instant, relay: inout Relay, into commands: inout [RelayCommand]
    ) -> Bool {
        // An end is not delayed by what is held back or stalled.
        if [.close, .reset].contains(firing.action.kind) { giveUp(at, &relay, &commands) }
        if gate == nil, relay.layer == .http, !relay.isBetweenMessages {
            releaseSuspects(at, &relay, &commands)
            gate = FaultGate(passing: context(of: relay), session: session)
        }
        let isDone = ask(.fired(firing), .server, at, relay)
        drain(at, &relay, &commands)
        commands.placeFaults()
        return isDone
    }

    // MARK: Judging

    enum Question {
        case opened
        case took([UInt8])
        case ended(Peer)
        case isUnmatched
        case woken
        case overdue
        case fired(Firing)
        case decided(HeldMessage.ID, HoldDecision)
        case withdrawn(HeldMessage)
    }

    /// Calls the gate, and queues what it decides.
    @discardableResult
    mutating func ask(
        _ question: Question, _ sender: Peer, _ at: Instant, _ relay: Relay
    ) -> Bool {
        var decided: [GateCommand] = []
        var isDone = true
        if gate == nil { gate = FaultGate(context(of: relay), session: session) }
        switch question {
        case .opened: gate?.opened(at: at, into: &decided)
        case .took(let bytes):
            let server = sender == .server ? speaker(relay) : nil
            gate?.take(bytes, from: sender, of: server, at: at, into: &decided)
        case .ended(let sender): gate?.ended(sender, at: at, into: &decided)
        case .isUnmatched: gate?.evictUnmatched(at: at, into: &decided)
        case .woken: gate?.wake(at: at, into: &decided)
        case .overdue: gate?.giveUpHead(at: at, into: &decided)
        case .fired(let firing): isDone = gate?.fire(firing, at: at, into: &decided) ?? false
        case .decided(let id, let decision):
            isDone = gate?.decide(id, decision, at: at, into: &decided) ?? false
        case .withdrawn(let request): gate?.withdraw(request, at: at, into: &decided)
        }
        for command in decided {
            if case .wake(let moment) = command {
                alarms.append(moment)
                continue
            }
            var lane = (command.sender ?? sender).rawValue
            // An answer of Tapedeck has its place among the client's requests.
            if case .answer = command { lane = Peer.client.rawValue }
            lanes[lane].bytes += command.byteCount
            lanes[lane].items.insert(
                .command(command, leg: judgedLeg ?? serverLeg), at: place(of: command, in: lane))
        }
        return isDone
    }

    /// Where a command is queued in its lane: after all others, but a wait comes before what is
    /// stated about the bytes that wait, so that the trace has the statement beside them.
    private func place(of command: GateCommand, in lane: Int) -> Int {
        var place = lanes[lane].items.count
        guard case .hold = command else { return place }
        while place > 0, case .command(.fault, _) = lanes[lane].items[place - 1] { place -= 1 }
        return place
    }

    /// The server whose bytes are judged, where a client is connected to several.
    private func speaker(_ relay: Relay) -> GateContext.Server? {
        guard relay.fixed == nil, let leg = relay.legs.first(where: { $0.id == judgedLeg }) else {
            return nil
        }
        return GateContext.Server(
            host: leg.address.host, port: leg.address.port, isTLS: leg.address.isTLS)
    }

    func context(of relay: Relay) -> GateContext {
        let server = relay.fixed.map {
            GateContext.Server(host: $0.host, port: $0.port, isTLS: $0.isTLS)
        }
        return GateContext(
            connection: relay.connection.id, session: sessionID, client: relay.clientLeg.host,
            server: server, isClientTLS: relay.isClientTLS, clock: relay.settings.clock)
    }

    mutating func judge(
        _ bytes: [UInt8], _ sender: Peer, _ at: Instant, _ relay: Relay
    ) {
        let isOurs =
            switch relay.layer {
            case .http: gate != nil || sender == .client && relay.isBetweenMessages
            case .raw: gate?.isWebSocket == true
            case .undecided:
                sender == .client
                    && (isReading || bytes.first.map(StartOfStream.isHTTP) == true)
            case .hello, .waiting, .closed: false
            }
        if isOurs {
            if gate?.isPassing == true, sender == .client, relay.isBetweenMessages,
                isEmpty
            {
                let context = context(of: relay)
                gate?.restart(context)
            }
            isReading = true
            ask(.took(bytes), sender, at, relay)
        } else {
            // What the gate holds came before.
            if gate != nil, relay.isPastHTTP { ask(.ended(sender), sender, at, relay) }
            wait(bytes, sender)
        }
    }

    /// What is not judged waits after what is.
    private mutating func wait(_ bytes: [UInt8], _ sender: Peer) {
        lanes[sender.rawValue].bytes += bytes.count
        lanes[sender.rawValue].items.append(
            .command(.pass(sender: sender, bytes), leg: serverLeg))
    }

    // MARK: Carrying out

    /// Passes everything that is due to the relay.
    mutating func drain(
        _ at: Instant, _ relay: inout Relay, _ commands: inout [RelayCommand]
    ) {
        var isMoving = true
        while isMoving {
            isMoving = false
            for sender in Peer.allCases {
                while let item = next(sender, at, relay) {
                    isMoving = true
                    carryOut(joined(item, sender, relay), sender, at, &relay, &commands)
                }
                keepStalled(sender, at, &relay, &commands)
            }
        }
        for sender in Peer.allCases { setReading(sender, &commands) }
        var next = alarms.isEmpty ? nil : alarms.filter { $0 > at }.min()
        if !alarms.isEmpty { alarms.removeAll { $0 <= at } }
        for lane in lanes.indices {
            guard let until = lanes[lane].heldUntil, until > at else { continue }
            next = min(next ?? until, until)
        }
        if let next, wakeAt.map({ next < $0 }) ?? true {
            wakeAt = next
            commands.append(.wake(at: next))
        }
    }

    /// What may be forwarded now of one sender.
    private mutating func next(_ sender: Peer, _ at: Instant, _ relay: Relay) -> Item? {
        let lane = sender.rawValue
        guard !lanes[lane].items.isEmpty, !lanes[lane].isStalled else { return nil }
        expireHeld(lane, at)
        if case .command(.park, _)? = lanes[lane].items.first { return nil }
        if let until = lanes[lane].heldUntil {
            guard until <= at else { return nil }
            lanes[lane].heldUntil = nil
        }
        if isWaitingForRelay(sender, relay) { return nil }
        return Self.takeFirst(of: &lanes[lane].items, reads, client: relay.clientLeg.id)
    }

    /// Whether a tunnel, TLS or an answer has to come before what the sender sent.
    func isWaitingForRelay(_ sender: Peer, _ relay: Relay) -> Bool {
        sender == .client
            && (relay.layer == .waiting || relay.isBlocked || relay.isAwaitingTunnel)
    }

    mutating func carryOut(
        _ item: Item, _ sender: Peer, _ at: Instant, _ relay: inout Relay,
        _ commands: inout [RelayCommand]
    ) {
        switch item {
        case .event(let event):
            give(event, at, &relay, &commands)
        case .command(let command, let leg):
            lanes[sender.rawValue].bytes -= command.byteCount
            carryOut(command, leg, at, &relay, &commands)
        }
    }

    mutating func carryOut(
        _ command: GateCommand, _ leg: LegID?, _ at: Instant, _ relay: inout Relay,
        _ commands: inout [RelayCommand]
    ) {
        switch command {
        case .pass(let sender, let bytes):
            let readAt = takeRead(bytes.count, of: sender, leg, relay)
            guard let leg = relay.leg(of: sender, leg) else { return }
            give(.received(leg, bytes, readAt: readAt), at, &relay, &commands)
        case .replace(let sender, let bytes, let others):
            let readAt = takeRead(bytes.count, of: sender, leg, relay)
            guard let leg = relay.leg(of: sender, leg) else { return }
            give(.altered(leg, bytes, by: others, readAt: readAt), at, &relay, &commands)
        case .keep(let sender, let bytes):
            let readAt = takeRead(bytes.count, of: sender, leg, relay)
            guard let leg = relay.leg(of: sender, leg) else { return }
            give(.kept(leg, bytes, readAt: readAt), at, &relay, &commands)
        case .make(let sender, let bytes):
            guard let leg = relay.leg(of: sender, nil) else { return }
            give(.made(leg, bytes), at, &relay, &commands)
        case .answer(let bytes, let closes):
            give(.answered(bytes, closes: closes), at, &relay, &commands)
        case .swallowed:
            give(.swallowed, at, &relay, &commands)
        case .route(let server):
            let address = ServerAddress(
                host: server.host, port: server.port, isTLS: server.isTLS)
            give(.routed(address), at, &relay, &commands)
        case .fault(let row):
            if relay.isRecorded(relay.clientLeg.id) { relay.record(.fault(row), &commands) }
        case .hold(let sender, let until):
            // An earlier wait of the lane is over, or this command would still be in it.
            lanes[sender.rawValue].heldUntil = until
        case .stall(let sender):
            lanes[sender.rawValue].isStalled = true
        case .end(let sender):
            give(.finished(sender), at, &relay, &commands)
        case .close(let isReset):
            give(.cut(isReset: isReset), at, &relay, &commands)
        case .wake(let moment):
            alarms.append(moment)
        case .park:
            // Decided about while it was the first of its lane.
            break
        }
    }

    /// Stops reading from a peer while much of its data waits.
    private mutating func setReading(_ sender: Peer, _ commands: inout [RelayCommand]) {
        let lane = sender.rawValue
        let isFull =
            lanes[lane].isStalled || lanes[lane].bytes > Self.patience
            || gate?.holdsMuch(of: sender) == true
        if isFull, !lanes[lane].isHeldBack {
            lanes[lane].isHeldBack = true
            commands.append(.holdBack(sender))
        } else if !isFull, lanes[lane].isHeldBack, lanes[lane].bytes <= Self.patience / 2 {
            lanes[lane].isHeldBack = false
            commands.append(.letCome(sender))
        }
    }
}
