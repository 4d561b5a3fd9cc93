import Faults
import Testing
import Wire

@testable import Proxying

/// A conversation with a relay: what happens on the left, what it decides on the right.
///
/// Rows for the trace are kept apart, since most plays are about the sockets.
struct Playbook {
    /// A command for sockets, short enough to be written in a table.
    enum Step: Hashable, CustomStringConvertible {
        case connect(Int, String)
        case connectTLS(Int, String)
        case connectThrough(Int, String, String, isTunnel: Bool)
        case send(Int, String)
        case end(Int)
        case close(Int)
        case reset(Int)
        case secureClient(String)
        case secureServer(Int, String)
        case secureExpired(String)
        case pause, resume
        case holdBack(Peer)
        case letCome(Peer)
        case wake(Int64)

        var description: String {
            switch self {
            case .connect(let leg, let to): "connect \(leg) to \(to)"
            case .connectTLS(let leg, let to): "connect \(leg) to \(to) with TLS"
            case .connectThrough(let leg, let to, let proxy, let isTunnel):
                "connect \(leg) to \(to) through \(proxy)\(isTunnel ? ", a tunnel" : "")"
            case .send(let leg, let text): "send on \(leg): \(text.debugDescription)"
            case .end(let leg): "end \(leg)"
            case .close(let leg): "close \(leg)"
            case .reset(let leg): "reset \(leg)"
            case .secureClient(let host): "secure the client as \(host)"
            case .secureServer(let leg, let name): "secure \(leg) as \(name)"
            case .secureExpired(let host): "secure the client as \(host), expired"
            case .holdBack(let peer): "hold back the \(peer)"
            case .letCome(let peer): "let the \(peer) come"
            case .wake(let at): "wake at \(at)"
            case .pause: "pause the client"
            case .resume: "resume the client"
            }
        }
    }

    static let client = LegID(1)

    private(set) var records: [Record] = []
    private var relay: Relay
    private var judge: ConnectionJudge?
    /// The time of the next event, in nanoseconds; a nanosecond passes with each.
    var clock: Int64 = 0

    init(
        _ mode: RelaySettings.Mode = .forward, keepsHost: Bool = false, only: [String] = [],
        passthrough: [String] = [], hosts: [String]? = nil, rules: FaultSession? = nil,
        changing change: (inout RelaySettings) -> Void = { _ in }
    ) {
        var settings = RelaySettings(
            mode: mode, keepsHost: keepsHost, only: only.map(HostPattern.init),
            passthrough: passthrough.map(HostPattern.init), hosts: hosts?.map(HostPattern.init))
        change(&settings)
        judge = rules.map { ConnectionJudge($0, sessionID: SessionID(1)) }
        let numbers = Numbers()
        relay = Relay(
            connection: ConnectionRow(
                id: ConnectionID(1), at: .zero, listener: "127.0.0.1:8080",
                client: "127.0.0.1:5000",
                mode: mode == .forward
                    ? .forward : mode == .transparent ? .transparent : .reverse),
            clientLeg: LegRow(
                id: Self.client, connection: ConnectionID(1), peer: .client, at: .zero,
                host: "127.0.0.1", port: 5000),
            settings: settings, nextLeg: { numbers.next() })
    }

    /// Something happens, and exactly these commands follow.
    mutating func on(
        _ event: RelayEvent, _ expected: Step..., at location: SourceLocation = #_sourceLocation
    ) {
        play(event, expected, location)
    }

    /// The client sends text.
    mutating func client(
        _ text: String, _ expected: Step..., at location: SourceLocation = #_sourceLocation
    ) {
        play(.received(Self.client, Array(text.utf8)), expected, location)
    }

    /// A server sends text.
    mutating func server(
        _ leg: Int, _ text: String, _ expected: Step...,
        at location: SourceLocation = #_sourceLocation
    ) {
        play(.received(LegID(Int64(leg)), Array(text.utf8)), expected, location)
    }

    /// The client sends bytes.
    mutating func client(
        bytes: [UInt8], _ expected: Step..., at location: SourceLocation = #_sourceLocation
    ) {
        play(.received(Self.client, bytes), expected, location)
    }

    /// How much content is certain to come of a leg.
    mutating func contentToCome(on leg: Int) -> Int64 {
        relay.contentToCome(on: LegID(Int64(leg)))
    }

    private mutating func play(
        _ event: RelayEvent, _ expected: [Step], _ location: SourceLocation
    ) {
        let steps = steps(after: event)
        #expect(steps == expected, "after \(event)", sourceLocation: location)
    }

    /// Something happens; gives the commands that follow.
    mutating func steps(after event: RelayEvent) -> [Step] {
        var commands: [RelayCommand] = []
        clock += 1
        if judge == nil {
            relay.handle(event, at: Instant(nanoseconds: clock), into: &commands)
        } else {
            judge?.handle(
                event, at: Instant(nanoseconds: clock), relay: &relay, into: &commands)
        }
        return take(commands)
    }

    private mutating func take(_ commands: [RelayCommand]) -> [Step] {
        var steps: [Step] = []
        for command in commands {
            if case .record(let record) = command {
                records.append(record)
            } else if let step = Step(command) {
                steps.append(step)
            }
        }
        return steps
    }

    /// The messages that are held.
    var held: [HeldMessage] { judge?.held ?? [] }

    /// Somebody decides about a held message, or about one that is not, and exactly these commands
    /// follow.
    ///
    /// - Returns: Whether it was held.
    @discardableResult
    mutating func decide(
        _ id: Int64, _ decision: HoldDecision, _ expected: Step...,
        at location: SourceLocation = #_sourceLocation
    ) -> Bool {
        var commands: [RelayCommand] = []
        clock += 1
        let isHeld =
            judge?.decide(
                HeldMessage.ID(id), decision, at: Instant(nanoseconds: clock), relay: &relay,
                into: &commands) ?? false
        #expect(take(commands) == expected, sourceLocation: location)
        return isHeld
    }

    /// The chunks recorded so far, as `sender: bytes received`.
    var chunks: [String] {
        records.compactMap { record in
            guard case .chunk(let chunk) = record else { return nil }
            let who = chunk.origin == .tapedeck ? "tapedeck" : "\(chunk.sender)"
            return "\(who): \(String(decoding: chunk.bytes, as: UTF8.self))"
        }
    }

    /// What the receivers got, as `sender: bytes`, without what they did not get.
    var received: [String] {
        records.compactMap { record in
            guard case .chunk(let chunk) = record, !chunk.received.isEmpty else { return nil }
            let who = chunk.origin == .tapedeck ? "tapedeck" : "\(chunk.sender)"
            return "\(who): \(String(decoding: chunk.received, as: UTF8.self))"
        }
    }

    /// The chunks of the client, in order.
    var clientChunks: [Chunk] {
        records.compactMap { record in
            guard case .chunk(let chunk) = record, chunk.sender == .client else { return nil }
            return chunk
        }
    }

    /// What a peer had of each chunk of the client.
    func had(by peer: Peer) -> [String] {
        clientChunks.map {
            String(decoding: ChunkView(of: $0, hadBy: peer).bytes, as: UTF8.self)
        }
    }

    /// The actions of all faults, in order.
    var faults: [String] {
        records.compactMap { record in
            if case .fault(let fault) = record { fault.action } else { nil }
        }
    }

    /// The chunks with the client's answers, in order.
    var answers: [Chunk] {
        records.compactMap { record in
            guard case .chunk(let chunk) = record, chunk.sender == .server else { return nil }
            return chunk
        }
    }

    /// The patches of all chunks, in order.
    var patches: [Patch] {
        records.flatMap { record -> [Patch] in
            if case .chunk(let chunk) = record { chunk.patches } else { [] }
        }
    }

    /// What the events say, in order.
    var details: [String] {
        records.compactMap { record in
            if case .event(let event) = record { event.detail } else { nil }
        }
    }

    /// The kinds of all events, in order.
    var events: [EventRow.Kind] {
        records.compactMap { record in
            if case .event(let event) = record { event.kind } else { nil }
        }
    }
}

/// Leg numbers from 2 on.
private final class Numbers {
    private var last: Int64 = 1

    func next() -> LegID {
        last += 1
        return LegID(last)
    }
}

extension Playbook.Step {
    init?(_ command: RelayCommand) {
        func number(_ leg: LegID) -> Int { Int(leg.rawValue) }
        switch command {
        case .record, .notice: return nil
        case .connect(let leg, let server):
            self =
                server.isTLS
                ? .connectTLS(number(leg), "\(server.host):\(server.port)")
                : .connect(number(leg), "\(server.host):\(server.port)")
        case .connectThrough(let leg, let server, let proxy, let isTunnel):
            self = .connectThrough(
                number(leg), "\(server.host):\(server.port)", proxy.address, isTunnel: isTunnel)
        case .send(let leg, let bytes):
            self = .send(number(leg), String(decoding: bytes, as: UTF8.self))
        case .end(let leg): self = .end(number(leg))
        case .close(let leg, let isReset):
            self = isReset ? .reset(number(leg)) : .close(number(leg))
        case .secureClient(let host, _, let isExpired):
            self = isExpired ? .secureExpired(host) : .secureClient(host)
        case .holdBack(let peer): self = .holdBack(peer)
        case .letCome(let peer): self = .letCome(peer)
        case .wake(let at): self = .wake(at.nanoseconds)
        case .secureServer(let leg, let name): self = .secureServer(number(leg), name)
        case .pauseClient: self = .pause
        case .resumeClient: self = .resume
        }
    }
}

extension FaultSession {
    /// The rules of these lines, with seed 1.
    convenience init(_ lines: String...) throws {
        var plan = FaultPlan()
        for line in lines { plan = try plan.adding(line: line) }
        self.init(plan: plan, seed: 1)
    }
}
