import Dissection
import Faults
import Wire

/// Writes down what happened in a session, in seconds, and asks for the verdicts.
struct Playbook {
    private var faults: [JudgedFault] = []
    private var observations: [Observation] = []
    private var exchanges: Int64 = 0
    private var commands: Int64 = 0
    private var connections: Int64 = 0

    private static func instant(_ seconds: Double) -> Instant {
        Instant(nanoseconds: Int64(seconds * 1_000_000_000))
    }

    /// A client connects.
    @discardableResult mutating func connect(
        _ seconds: Double, from client: String = "192.0.2.1"
    ) -> ConnectionID {
        connections += 1
        let id = ConnectionID(connections)
        observations.append(
            .connection(
                ConnectionRow(
                    id: id, at: Self.instant(seconds), listener: "127.0.0.1:1",
                    client: "\(client):5\(connections)", mode: .reverse)))
        return id
    }

    /// An exchange, to which `faults` are done as they are named.
    @discardableResult mutating func exchange(
        _ seconds: Double, on connection: ConnectionID, _ status: Int?,
        path: String = "/a/demo/phone/restore/", method: String = "GET",
        api: String = "commcare.restore", device: String? = "d1", instance: String? = nil,
        retryAfter: String? = nil, outcome: ExchangeRow.Outcome = .complete,
        faults actions: String..., after: Double = 0
    ) -> ExchangeID {
        exchanges += 1
        let id = ExchangeID(exchanges)
        var row = ExchangeRow(
            id: id, connection: connection, api: api, method: method, scheme: "http",
            host: "example.org", port: 80, path: path, query: nil, version: "HTTP/1.1",
            startedAt: Self.instant(seconds), requestPlace: Place(chunk: ChunkID(1), offset: 0))
        row.status = status
        row.endedAt = Self.instant(seconds + 0.5)
        row.outcome = outcome
        row.device = device
        row.retryAfter = retryAfter
        observations.append(.exchange(row, instance: instance))
        for action in actions {
            fault(seconds + after, action, on: connection, sender: .client, exchange: id)
        }
        return id
    }

    /// A form is submitted.
    @discardableResult mutating func submit(
        _ seconds: Double, on connection: ConnectionID, _ status: Int?, _ instance: String,
        outcome: ExchangeRow.Outcome = .complete, fault action: String? = nil
    ) -> ExchangeID {
        let id = exchange(
            seconds, on: connection, status, path: "/a/demo/receiver/", method: "POST",
            api: "commcare.submit", instance: instance, outcome: outcome)
        if let action {
            fault(seconds, action, on: connection, sender: .client, exchange: id)
        }
        return id
    }

    /// A command, to which a fault is done if one is named.
    @discardableResult mutating func command(
        _ seconds: Double, _ sender: Peer, _ text: String, on connection: ConnectionID,
        fault action: String? = nil
    ) -> CommandID {
        commands += 1
        let id = CommandID(commands)
        let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        let isOfConnection = parts.first == "h" || parts.first == "log"
        let name = String(isOfConnection ? parts[0] : parts[1])
        let payload = isOfConnection ? text.dropFirst(name.count + 1) : parts.last ?? ""
        let changes = name == "c" ? ChangeReader.rows(text, sender, of: id) : []
        observations.append(
            .command(
                CommandRow(
                    id: id, message: MessageID(commands), connection: connection, position: 0,
                    sender: sender, at: Self.instant(seconds),
                    channel: isOfConnection ? nil : Int(parts[0]), name: name,
                    bucket: isOfConnection ? nil : "notes", app: "app", text: nil,
                    payloadOffset: 0, payloadSize: payload.utf8.count,
                    key: ChangeReader.key(text, sender),
                    request: ChangeReader.request(text, sender),
                    cv: nil,
                    error: ChangeReader.error(text, sender), problem: nil),
                changes: changes, text: Array(text.utf8)))
        if let action {
            faults.append(
                JudgedFault(
                    id: Int64(faults.count + 1),
                    row: FaultRow(
                        at: Self.instant(seconds), rule: "rule", action: action,
                        connection: connection, sender: sender),
                    message: MessageID(commands), came: Array(text.utf8)))
        }
        return id
    }

    /// A fault, on a message that nobody got where `came` is given.
    mutating func fault(
        _ seconds: Double, _ action: String, on connection: ConnectionID? = nil,
        sender: Peer? = nil, exchange: ExchangeID? = nil, came: String = "",
        isControl: Bool = false
    ) {
        faults.append(
            JudgedFault(
                id: Int64(faults.count + 1),
                row: FaultRow(
                    at: Self.instant(seconds), rule: "rule", action: action,
                    connection: connection, sender: sender),
                exchange: exchange, isControl: isControl, came: Array(came.utf8)))
    }

    /// The verdicts; `ended` is the end of the session in seconds (default: long after everything).
    func verdicts(isRunning: Bool = false, ended: Double? = nil) -> [FaultVerdict] {
        var recovery = FaultRecovery(faults: faults)
        for observation in observations.sorted(by: { $0.at < $1.at }) {
            recovery.observe(observation)
        }
        return recovery.verdicts(
            isRunning: isRunning, endedAt: Self.instant(ended ?? 1_000_000))
    }

    /// What became of the faults.
    func outcomes(isRunning: Bool = false, ended: Double? = nil) -> [FaultVerdict.Outcome] {
        verdicts(isRunning: isRunning, ended: ended).map(\.outcome)
    }
}
