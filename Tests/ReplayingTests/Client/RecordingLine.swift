import ConvergenceWorld
import Replaying
import Simperium
import Wire

/// A line that writes down what is sent over it, as a proxy would.
struct RecordingLine: FireLine {
    private var line: PlainLine
    private var open: [Int: ConnectionID] = [:]
    private(set) var commands: [RecordedCommand] = []
    private(set) var texts: [CommandID: [UInt8]] = [:]
    private(set) var sockets: [RecordedSocket] = []

    init(clients: Int) { line = PlainLine(clients: clients, isWritten: true) }

    mutating func open(_ client: Int, at now: Instant) {
        let id = ConnectionID(Int64(sockets.count + 1))
        sockets.append(RecordedSocket(id: id))
        open[client] = id
        line.open(client, at: now)
    }

    mutating func close(_ client: Int, at now: Instant) { line.close(client, at: now) }

    mutating func send(
        _ message: SimperiumMessage, from sender: Peer, of client: Int, at now: Instant
    ) {
        if let socket = open[client] {
            let id = CommandID(Int64(commands.count + 1))
            let text = message.encoded(by: sender)
            // Each at a moment of its own, as in a trace.
            let at = Instant(nanoseconds: Int64(commands.count + 1) * 1_000_000)
            commands.append(
                RecordedCommand(id: id, socket: socket, sender: sender, at: at, text: text))
            texts[id] = text
        }
        line.send(message, from: sender, of: client, at: now)
    }

    mutating func receive(from sender: Peer, of client: Int) -> FireArrival? {
        line.receive(from: sender, of: client)
    }

    func waiting(from sender: Peer, of client: Int) -> Int {
        line.waiting(from: sender, of: client)
    }

    mutating func pass(to now: Instant) { line.pass(to: now) }
    mutating func takeNews() -> [FireNews] { line.takeNews() }
    mutating func calm(at now: Instant) { line.calm(at: now) }
}
