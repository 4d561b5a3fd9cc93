import Faults
import Wire

@testable import Proxying

/// One connection with its client and servers and without sockets: what the proxy's shell does, as
/// values.
struct WorldConnection {
    let plan: WorldPlan
    let clientLeg: LegID
    private(set) var relay: Relay
    private(set) var judge: ConnectionJudge?
    var client: ClientModel
    var sockets: [WorldSocket]
    var ledger: Ledger
    /// When the judge wants to be asked again.
    private(set) var alarm: Instant?
    private var isPausedByRelay = false
    private var heldBack: Set<Peer> = []
    var hasRoom = true
    private var events: [RelayEvent] = []
    private var isRunning = false
    /// Rows for the trace that the world has not taken yet.
    var records: [Record] = []
    /// How many commands it may still give for what it was given.
    private var credit = 400
    private(set) var steps = 0
    private let story = Story()
    private let isLogging: Bool
    var problems: [String] = []
    /// Whether the client was not served any more.
    private(set) var wasRefusing = false
    /// Whether something did not hold for it.
    var isBlamed = false
    /// Whether servers that are connected from now on end at once.
    var isEnding = false
    /// Most bytes that were held at a time.
    private(set) var maxHeld = 0

    private final class Story {
        var lines: [String] = []
    }

    private final class Legs {
        var next: Int64
        init(_ next: Int64) { self.next = next }
    }

    init(
        _ id: Int64, _ plan: WorldPlan, session: FaultSession?, at: Instant, isLogging: Bool,
        _ chance: inout Chance
    ) {
        self.plan = plan
        self.isLogging = isLogging
        let legs = Legs(id * 1_000)
        clientLeg = LegID(legs.next)
        relay = Relay(
            connection: ConnectionRow(
                id: ConnectionID(id), at: at, listener: "127.0.0.1:8080",
                client: "10.0.0.\(id):5000",
                mode: plan.isForward
                    ? .forward : plan.way == .redirected ? .transparent : .reverse),
            clientLeg: LegRow(
                id: clientLeg, connection: ConnectionID(id), peer: .client, at: at,
                host: "10.0.0.\(id)", port: 5000),
            settings: plan.settings
        ) {
            legs.next += 1
            return LegID(legs.next)
        }
        judge = session.map { ConnectionJudge($0, sessionID: SessionID(1)) }
        client = ClientModel(plan, number: Int(id) * 100_000, &chance)
        sockets = [WorldSocket(leg: clientLeg, address: nil, state: .open)]
        ledger = Ledger(client: clientLeg, plan, hasRules: session != nil)
        if judge != nil {
            note("accepted")
            var commands: [RelayCommand] = []
            judge?.accepted(at: at, relay: &relay, into: &commands)
            take(commands, at, &chance)
        }
        if plan.way == .redirected { dispatch(.redirected(plan.server), at, &chance) }
    }

    /// Whether every leg is closed, and the relay knows.
    var isOver: Bool { sockets.isEmpty }

    func index(_ leg: LegID) -> Int? { sockets.firstIndex { $0.leg == leg } }

    /// What happened, in lines.
    var log: [String] { story.lines }

    func note(_ text: @autoclosure () -> String) {
        if isLogging { story.lines.append(text()) }
    }

    /// Bytes that were read and went nowhere yet.
    var held: Int { ledger.unrecordedBytes + ledger.unsentBytes }

    // MARK: What happens

    /// Gives an event to the relay and carries out what it decides, one event at a time.
    mutating func dispatch(_ event: RelayEvent, _ at: Instant, _ chance: inout Chance) {
        events.append(event)
        guard !isRunning else { return }
        isRunning = true
        defer { isRunning = false }
        while !events.isEmpty {
            let event = events.removeFirst()
            note("\(at.nanoseconds / 1000) " + Self.describe(event))
            credit += 12
            if case .received(let leg, let bytes, _) = event {
                credit += 3 * bytes.count
                ledger.read(bytes, on: leg, at: at)
            }
            // With rules the relay is told in its turn.
            if judge == nil, case .closed(let leg, _, _) = event { ledger.gone(leg) }
            if judge == nil, case .refused(let leg, _, _) = event { ledger.gone(leg) }
            if judge == nil, case .declined(let leg, _) = event { ledger.gone(leg) }
            var commands: [RelayCommand] = []
            if judge == nil {
                relay.handle(event, at: at, into: &commands)
            } else {
                judge?.handle(event, at: at, relay: &relay, into: &commands)
            }
            take(commands, at, &chance)
            if case .refusing = relay.phase { wasRefusing = true }
            let counted = relay.heldBytes + (judge?.heldBytes ?? 0)
            if ledger.unrecordedBytes > counted {
                problems.append(
                    "4: \(ledger.unrecordedBytes) bytes are held, and \(counted) are counted, "
                        + "\(relay.heldBytes) by the relay: \(ledger.unrecordedText)")
            }
        }
        maxHeld = max(maxHeld, held)
    }

    /// Does something to the connection that somebody asked for.
    mutating func fire(_ firing: Firing, _ at: Instant, _ chance: inout Chance) {
        note("fire \(firing.action)")
        var commands: [RelayCommand] = []
        _ = judge?.fire(firing, at: at, relay: &relay, into: &commands)
        take(commands, at, &chance)
    }

    /// Somebody decides about one of the held messages, if there is one.
    mutating func decide(_ at: Instant, _ chance: inout Chance) {
        guard let judge, !judge.held.isEmpty else { return }
        let held = chance.pick(judge.held)
        let decision = WorldRules.decision(about: held, &chance)
        note("decide \(held.id.rawValue) \(decision)")
        var commands: [RelayCommand] = []
        let isHeld =
            self.judge?.decide(
                held.id, decision, at: at, relay: &relay, into: &commands) ?? false
        if !isHeld { problems.append("a held message is not held") }
        take(commands, at, &chance)
    }

    private mutating func take(
        _ commands: [RelayCommand], _ at: Instant, _ chance: inout Chance
    ) {
        steps += 1
        credit -= commands.count
        if credit < 0 {
            problems.append("1: more is done than there were bytes to do it for")
            credit = 1_000_000
        }
        for command in commands {
            note("    " + Self.describe(command))
            ledger.check(command, at: at)
            carryOut(command, at, &chance)
        }
        for sender in Peer.allCases {
            guard let waiting = judge?.waiting(of: sender, relay), waiting.bytes != waiting.known
            else { continue }
            problems.append(
                "2: \(waiting.bytes) bytes of the \(sender) wait for a judgement, and it is known of "
                    + "\(waiting.known) when they were read")
        }
    }

    private mutating func carryOut(
        _ command: RelayCommand, _ at: Instant, _ chance: inout Chance
    ) {
        switch command {
        case .record(let record):
            records.append(record)
            if plan.reads > 1, chance.percent(1) { hasRoom = false }
        case .send(let leg, let bytes):
            if let index = index(leg) { sockets[index].write(bytes) }
        case .connect(let leg, let server):
            sockets.append(WorldSocket(leg: leg, address: server, state: .connecting))
        case .end(let leg):
            if let index = index(leg) { sockets[index].end() }
        case .close(let leg, let isReset):
            if let index = index(leg) { sockets[index].close(isReset: isReset) }
        case .secureClient:
            if let index = index(clientLeg), !sockets[index].isDead {
                sockets[index].state = .handshaking
            }
            client.isSecuring = true
        case .secureServer(let leg, _):
            if let index = index(leg), sockets[index].state == .open {
                sockets[index].state = .handshaking
            }
        case .pauseClient: isPausedByRelay = true
        case .resumeClient: isPausedByRelay = false
        case .holdBack(let peer): heldBack.insert(peer)
        case .letCome(let peer): heldBack.remove(peer)
        case .wake(let moment): alarm = moment
        case .notice, .connectThrough: break
        }
        updateReading()
    }

    /// Reads from each peer only while its counterpart takes what it gets and the trace has room.
    mutating func updateReading() {
        let client = index(clientLeg)
        let isClientWritable = client.map { sockets[$0].isWritable } ?? true
        var areServersWritable = true
        for index in sockets.indices where sockets[index].leg != clientLeg {
            sockets[index].isPaused =
                !hasRoom || !isClientWritable || heldBack.contains(.server)
            if !sockets[index].isWritable { areServersWritable = false }
        }
        if let client {
            sockets[client].isPaused =
                !hasRoom || !areServersWritable || isPausedByRelay || heldBack.contains(.client)
        }
    }

    /// The moment has come that the judge asked for.
    mutating func wake(_ at: Instant, _ chance: inout Chance) {
        alarm = nil
        dispatch(.woke, at, &chance)
    }
}

extension WorldConnection {
    static func describe(_ event: RelayEvent) -> String {
        switch event {
        case .received(let leg, let bytes, _): "received on \(leg): \(text(bytes))"
        default: "\(event)"
        }
    }

    static func describe(_ command: RelayCommand) -> String {
        switch command {
        case .send(let leg, let bytes): "send on \(leg): \(text(bytes))"
        case .record(.chunk(let chunk)):
            "chunk of \(chunk.leg) \(chunk.sender)\(chunk.origin == .peer ? "" : ", ours"): "
                + text(chunk.bytes) + " \(chunk.patches.map(describe))"
                + chunk.deliveries.map(describe).joined()
        case .record(.event(let event)):
            "\(event.kind.rawValue) \(event.leg as Any) \(event.detail)"
        case .record(.fault(let fault)): "fault \(fault.action)"
        case .record(.connection): "the connection"
        case .record(.leg(let leg)): "leg \(leg.id)"
        default: "\(command)"
        }
    }

    private static func describe(_ delivery: Delivery) -> String {
        delivery.at.map { " later, at \($0.nanoseconds / 1000)" } ?? " kept"
    }

    private static func describe(_ patch: Patch) -> String {
        "\(patch.reason.rawValue) at \(patch.offset) -\(patch.removed) +\(text(patch.inserted))"
    }

    static func text(_ bytes: [UInt8]) -> String {
        let shown = String(decoding: bytes.prefix(160), as: UTF8.self).debugDescription
        return bytes.count > 160 ? "\(shown)… (\(bytes.count) bytes)" : shown
    }
}
