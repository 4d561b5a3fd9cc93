import ConvergenceWorld
import Faults
import Simperium
import Wire

/// Carries the messages of a world through the proxy's gates, byte for byte as on sockets.
struct FaultLine: FireLine {
    let session: FaultSession
    private var connections: [FaultedConnection?]
    private var numbers: [Int]
    private var news: [FireNews] = []
    /// What happened so far, by client.
    private(set) var stories: [FaultTranscript]
    /// Everything that goes into the trace, in the order in which it happened.
    private(set) var records: [Record] = []
    /// What had happened when calm came, by client.
    private(set) var stormyGroups: [FaultTranscript]?

    init(clients: Int, session: FaultSession) {
        self.session = session
        connections = Array(repeating: nil, count: clients)
        numbers = Array(repeating: 0, count: clients)
        stories = Array(repeating: FaultTranscript(), count: clients)
    }

    mutating func open(_ client: Int, at: Instant) {
        let connection = FaultedConnection(
            client: client, number: numbers[client],
            way: SocketWay.all[client % SocketWay.all.count], session: session)
        numbers[client] += 1
        connections[client] = connection
        work(client) { $0.open(at: at, into: &$1) }
    }

    mutating func close(_ client: Int, at: Instant) {
        connections[client]?.close(at: at, into: &stories[client])
        connections[client] = nil
        records += stories[client].takeRecords()
    }

    mutating func send(
        _ message: SimperiumMessage, from sender: Peer, of client: Int, at: Instant
    ) {
        let text = message.encoded(by: sender)
        work(client) { $0.send(text, from: sender, at: at, into: &$1) }
    }

    mutating func receive(from sender: Peer, of client: Int) -> FireArrival? {
        guard let text = connections[client]?.receive(from: sender) else { return nil }
        let command = SimperiumCommand.parse(text, from: sender)
        return FireArrival(message: SimperiumMessage(command, in: text), text: text)
    }

    func waiting(from sender: Peer, of client: Int) -> Int {
        connections[client]?.waiting(from: sender) ?? 0
    }

    mutating func pass(to now: Instant) {
        for client in connections.indices {
            while let due = connections[client]?.wakeAt, due <= now {
                work(client) { $0.wake(at: due, into: &$1) }
            }
        }
    }

    mutating func takeNews() -> [FireNews] {
        defer { news = [] }
        return news
    }

    mutating func calm(at: Instant) {
        guard stormyGroups == nil else { return }
        stormyGroups = stories
        session.replace(FaultPlan())
    }

    /// Does something to a connection, and says what became of it.
    private mutating func work(
        _ client: Int, _ body: (inout FaultedConnection, inout FaultTranscript) -> Void
    ) {
        guard let before = connections[client].map({ ($0.isOpen, $0.isOver) }) else { return }
        if var connection = connections[client].take() {
            body(&connection, &stories[client])
            connections[client] = connection
            records += stories[client].takeRecords()
        }
        guard let connection = connections[client] else { return }
        if !before.0, connection.isOpen { news.append(.opened(client)) }
        if !before.1, connection.isOver { news.append(.ended(client)) }
    }
}
