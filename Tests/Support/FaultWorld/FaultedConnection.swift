import Faults
import Wire

@testable import Proxying

/// A connection of a client through the proxy to the server, with both ends and no sockets.
struct FaultedConnection {
    let number: Int
    private let way: SocketWay
    private var relay: JudgedRelay
    private(set) var ends: [SocketEnd]
    private var serverLeg: LegID?
    /// When the judge wants to be asked again.
    private(set) var wakeAt: Instant?
    /// Whether one side was told that the other is gone.
    private(set) var isOver = false
    private var isClosed = false
    private var queue: [JudgedRelay.Entry] = []
    private var isRunning = false
    /// Bytes that each peer sent, and bytes of it in the trace.
    private var sent = [0, 0]
    private var recorded = [0, 0]

    init(client: Int, number: Int, way: SocketWay, session: FaultSession) {
        self.number = number
        self.way = way
        relay = JudgedRelay(client: client, connection: number, session: session)
        let seed = UInt64(client) << 32 | UInt64(number)
        ends = Peer.allCases.map { SocketEnd($0, way, seed: seed) }
    }

    /// Whether the client's handshake is done.
    var isOpen: Bool { ends[Peer.client.rawValue].isOpen && !isOver }

    /// The client connects and says what it says first.
    mutating func open(at: Instant, into story: inout FaultTranscript) {
        happen(nil, at, &story)
        guard !isOver else { return }
        guard way.isTLS else { return say(way.request, .client, at, &story) }
        // What is encrypted is not in the trace.
        happen(.received(relay.clientLeg, SocketWay.hello), at, &story)
    }

    /// Takes the oldest text that has come from `sender`.
    mutating func receive(from sender: Peer) -> [UInt8]? {
        ends[sender.other.rawValue].takeText()
    }

    /// How many texts have come from `sender`.
    func waiting(from sender: Peer) -> Int { ends[sender.other.rawValue].waiting }

    /// One end sends a command.
    mutating func send(
        _ text: [UInt8], from sender: Peer, at: Instant, into story: inout FaultTranscript
    ) {
        guard !isOver, ends[sender.rawValue].isOpen else { return }
        say(ends[sender.rawValue].frame(text), sender, at, &story)
    }

    /// The moment has come that was asked for.
    mutating func wake(at: Instant, into story: inout FaultTranscript) {
        wakeAt = nil
        happen(.woke, at, &story)
    }

    /// The client is gone.
    mutating func close(at: Instant, into story: inout FaultTranscript) {
        guard !isClosed else { return }
        isClosed = true
        isOver = true
        happen(.closed(relay.clientLeg, isReset: false, ""), at, &story)
        if let serverLeg { happen(.closed(serverLeg, isReset: false, ""), at, &story) }
        if sent != recorded {
            story.problems.append("\(number): \(recorded) bytes of \(sent) are in the trace")
        }
    }

    private mutating func say(
        _ bytes: [UInt8], _ sender: Peer, _ at: Instant, _ story: inout FaultTranscript
    ) {
        guard !bytes.isEmpty, let leg = sender == .client ? relay.clientLeg : serverLeg else {
            return
        }
        sent[sender.rawValue] += bytes.count
        happen(.received(leg, bytes), at, &story)
    }

    /// One event at a time, as the proxy's sockets do.
    private mutating func happen(
        _ event: RelayEvent?, _ at: Instant, _ story: inout FaultTranscript
    ) {
        queue.append(JudgedRelay.Entry(connection: number, event: event, at: at))
        guard !isRunning else { return }
        isRunning = true
        defer { isRunning = false }
        while !queue.isEmpty {
            let entry = queue.removeFirst()
            story.entries.append(entry)
            let commands = relay.take(entry)
            story.rows += JudgedRelay.rows(in: commands)
            for command in commands { carryOut(command, at, &story) }
        }
    }

    private mutating func carryOut(
        _ command: RelayCommand, _ at: Instant, _ story: inout FaultTranscript
    ) {
        if case .record(let record) = command { story.records.append(record) }
        switch command {
        case .record(.chunk(let chunk)) where chunk.origin == .peer:
            recorded[chunk.sender.rawValue] += chunk.bytes.count
        case .connect(let leg, _):
            serverLeg = leg
            happen(.ready(leg), at, &story)
        case .send(let leg, let bytes):
            deliver(bytes, to: leg == relay.clientLeg ? .client : .server, at, &story)
        case .secureClient(_, _, let isExpired):
            guard !isExpired else {
                isOver = true
                return
            }
            happen(.clientSecured, at, &story)
            say(way.request, .client, at, &story)
        case .secureServer(let leg, _): happen(.ready(leg), at, &story)
        case .end: isOver = true
        case .close:
            isOver = true
        case .wake(let moment): wakeAt = min(wakeAt ?? moment, moment)
        case .record, .pauseClient, .resumeClient, .holdBack, .letCome, .notice,
            .connectThrough:
            break
        }
    }

    private mutating func deliver(
        _ bytes: [UInt8], to receiver: Peer, _ at: Instant, _ story: inout FaultTranscript
    ) {
        guard !isClosed else { return }
        let answer = ends[receiver.rawValue].take(bytes)
        if !isOver { say(answer, receiver, at, &story) }
        if ends[receiver.rawValue].isOver { isOver = true }
    }
}
