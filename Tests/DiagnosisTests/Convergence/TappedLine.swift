import ConvergenceWorld
import Dissection
import Simperium
import Wire

@testable import Diagnosis

/// A plain line that is diagnosed, as a proxy that stands at the clients or at the server would see it.
struct TappedLine: FireLine {
    private var line: PlainLine
    private var connections: [ConnectionID?]
    private var lastConnection: Int64 = 0
    private var lastCommand: Int64 = 0
    private var now = Instant.zero
    private let isAtServer: Bool
    private(set) var diagnosis = Diagnosis()
    /// The last commands of each client, for people.
    private(set) var group: [String] = []
    private let keepsTranscript: Bool

    init(clients: Int, isAtServer: Bool, keepsTranscript: Bool = false) {
        line = PlainLine(clients: clients, isWritten: true)
        connections = Array(repeating: nil, count: clients)
        self.isAtServer = isAtServer
        self.keepsTranscript = keepsTranscript
    }

    mutating func open(_ client: Int, at: Instant) {
        now = max(now, at)
        lastConnection += 1
        let id = ConnectionID(lastConnection)
        connections[client] = id
        diagnosis.observe(
            .connection(
                ConnectionRow(
                    id: id, at: now, listener: "127.0.0.1:8080", client: "10.0.0.\(client):5000",
                    mode: .reverse)))
        if keepsTranscript { group.append("\(client) connects as \(id)") }
        line.open(client, at: at)
    }

    mutating func close(_ client: Int, at: Instant) {
        now = max(now, at)
        if let id = connections[client] {
            diagnosis.observe(
                .event(
                    EventRow(
                        .closed, connection: id, leg: LegID(id.rawValue), at: now, detail: "closed")
                ))
            connections[client] = nil
            if keepsTranscript { group.append("\(client) closes \(id)") }
        }
        line.close(client, at: at)
    }

    mutating func send(
        _ message: SimperiumMessage, from sender: Peer, of client: Int, at: Instant
    ) {
        now = max(now, at)
        if sender == .client || isAtServer {
            tap(message.encoded(by: sender), sender, client)
        }
        line.send(message, from: sender, of: client, at: at)
    }

    mutating func receive(from sender: Peer, of client: Int) -> FireArrival? {
        guard let arrival = line.receive(from: sender, of: client) else { return nil }
        if sender == .server, !isAtServer, let text = arrival.text { tap(text, sender, client) }
        return arrival
    }

    private mutating func tap(_ text: [UInt8], _ sender: Peer, _ client: Int) {
        guard let id = connections[client] else { return }
        lastCommand += 1
        let command = CommandEvidence.Version(text, from: sender).command
        let row = CommandRow(
            id: CommandID(lastCommand), message: MessageID(lastCommand), connection: id,
            position: 0, sender: sender, at: now, channel: command.channel, name: command.name,
            bucket: nil, app: nil, text: nil, payloadOffset: command.payload.lowerBound,
            payloadSize: command.payload.count, key: command.key, request: command.request,
            cv: command.cv,
            error: command.error, problem: command.problem.map { "\($0)" })
        if keepsTranscript {
            group.append(
                "\(now.nanoseconds / 1_000_000) \(client)/\(id) \(sender) "
                    + String(decoding: text, as: UTF8.self))
        }
        diagnosis.observe(.command(CommandEvidence(row, text: text, place: nil)))
    }

    func waiting(from sender: Peer, of client: Int) -> Int {
        line.waiting(from: sender, of: client)
    }

    mutating func pass(to now: Instant) {
        self.now = max(self.now, now)
        line.pass(to: now)
    }

    mutating func takeNews() -> [FireNews] { line.takeNews() }

    mutating func calm(at: Instant) { line.calm(at: at) }

    /// What was found, with the session over.
    mutating func findings() -> [Finding] {
        diagnosis.finish(at: now, isRunning: false)
        return diagnosis.findings
    }
}
