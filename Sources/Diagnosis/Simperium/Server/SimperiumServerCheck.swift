import Dissection
import Simperium
import Wire

/// Rules about the commands of a Simperium server.
///
/// The server is judged by what it sent and what it received, regardless of losses on the way.
struct SimperiumServerCheck: Check {
    typealias Socket = SimperiumServerSocket
    typealias Channel = SimperiumServerChannel
    typealias Bucket = SimperiumServerBucket
    typealias Due = SimperiumServerDue
    typealias Rules = SimperiumServerRules

    static let second: Int64 = 1_000_000_000
    /// Nanoseconds for an answer.
    static let answerTime = 60 * second
    /// Nanoseconds for the answer to a heartbeat.
    static let heartbeatTime = 30 * second
    /// Nanoseconds after which an answer to a heartbeat was not sent at once.
    static let lateBeatTime = 5 * second
    /// Nanoseconds after which the answer to a heartbeat is not on its way any more.
    static let reaction = 10 * second
    /// The number of connections without an answer to heartbeats that shows a server without any.
    static let leastSilent = 2
    /// Nanoseconds after which a server's answers have what it has sent.
    static let settling = 2 * second
    static let maxSockets = 20_000
    /// The number of bucket names above which those without open channels are dropped.
    private static let maxNumbers = 20_000

    var sockets: [ConnectionID: Socket] = [:]
    var buckets: [Channel.BucketID: Bucket] = [:]
    private var numbers: [Channel.BucketName: Channel.BucketID] = [:]
    private var lastNumber: Int64 = 0
    var objects = SimperiumServerObjects()
    /// Connections on which no heartbeat was answered, by server.
    var silent: [String: [Left]] = [:]
    /// Servers that have answered heartbeats.
    var beating: Set<String> = []
    var deadlines = Deadlines<Due>()
    var patience = Patience()
    /// Whether the recording has ended: nothing more can show that a server is reachable.
    private(set) var isEnded = false

    mutating func observe(
        _ evidence: borrowing Evidence, _ session: borrowing SessionView, _ report: inout Report
    ) {
        switch evidence {
        case .command(let command): take(command, session, &report)
        case .event(let row) where row.kind == .closed:
            guard let connection = row.connection,
                let socket = sockets.removeValue(forKey: connection)
            else { return }
            for (number, channel) in socket.channels { leave(channel, connection, number) }
            leaveBeats(socket, connection, at: row.at, session, &report)
        case .note(let row)
        where row.code == ConversationNote.sockJSMalformed.rawValue && row.sender == .server
            && session[row.connection]?.lastFaultAt == nil:
            report.add(
                Finding(
                    Rules.sockJSFrame, connection: row.connection,
                    client: session.client(of: row.connection),
                    detail:
                        "A message on the SockJS endpoint is not a SockJS frame: \(row.detail).",
                    steps: [FindingStep(at: row.at, row.detail, place: row.place)]))
        default: break
        }
    }

    private mutating func take(
        _ command: CommandEvidence, _ session: borrowing SessionView, _ report: inout Report
    ) {
        let id = command.row.connection
        guard sockets.count < Self.maxSockets || sockets[id] != nil else { return }
        var socket = sockets.removeValue(forKey: id) ?? Socket()
        if command.row.sender == .client {
            if let heard = command.heard?.command { ask(heard, command, &socket) }
        } else if let said = command.said?.command {
            say(said, command, &socket, session, &report)
        }
        sockets[id] = socket
    }

    /// The channel is closed.
    mutating func leave(_ channel: Channel, _ connection: ConnectionID, _ number: Int) {
        guard let id = channel.bucket else { return }
        let place = Bucket.Place(connection: connection, channel: number)
        buckets[id]?.places.remove(place)
        if buckets[id]?.places.isEmpty == true { buckets[id] = nil }
    }

    /// The number of a bucket.
    mutating func number(of name: Channel.BucketName) -> Channel.BucketID {
        if let known = numbers[name] { return known }
        if numbers.count >= Self.maxNumbers + buckets.count {
            numbers = numbers.filter { buckets[$0.value] != nil }
        }
        lastNumber += 1
        let id = Channel.BucketID(number: lastNumber)
        numbers[name] = id
        return id
    }

    // MARK: Time

    mutating func advance(
        to now: Instant, _ session: borrowing SessionView, _ report: inout Report
    ) {
        while var due = deadlines.next(before: now)?.item {
            if case .echo(let id, let ccid) = due.duty {
                judgeEcho(id, ccid, session, &report)
                continue
            }
            guard isJudgeable(due.connection, since: due.start, session),
                let socket = sockets[due.connection], isOpen(due, socket)
            else { continue }
            // A server that sends nothing at all may be unreachable.
            guard socket.lastSaidAt.nanoseconds > due.start.nanoseconds + due.patience / 4 else {
                due.tries += 1
                if due.tries < 16 {
                    deadlines.wait(
                        until: Instant(nanoseconds: now.nanoseconds + due.patience), due)
                }
                continue
            }
            judge(due, socket, session, &report)
        }
    }

    func undecided(
        at end: Instant, _ session: borrowing SessionView, _ report: inout Report
    ) {
        undecidedBeats(session, &report)
        var check = self
        check.isEnded = true
        while var due = check.deadlines.next(before: Instant(nanoseconds: .max))?.item {
            if case .echo(let id, let ccid) = due.duty {
                check.judgeEcho(id, ccid, session, &report)
                continue
            }
            guard isJudgeable(due.connection, since: due.start, session),
                let socket = sockets[due.connection], check.isOpen(due, socket)
            else { continue }
            due.patience = max(0, end.nanoseconds - due.start.nanoseconds)
            check.judge(due, socket, session, &report)
        }
    }

    /// Whether all of the connection was captured and no fault touched it.
    func isJudgeable(
        _ connection: ConnectionID, since start: Instant, _ session: borrowing SessionView
    ) -> Bool {
        guard let view = session[connection], view.endedAt == nil, view.coverage == .whole else {
            return false
        }
        return view.lastFaultAt.map { $0 < start } ?? true
    }

    // MARK: Findings

    func add(
        _ rule: Rule, _ command: CommandEvidence, _ channel: Channel?, key: String? = nil,
        _ detail: String, severity: FindingRow.Severity? = nil, expected: String? = nil,
        steps: [FindingStep] = [], shows: String = "what the server sent",
        range: Range<Int>? = nil, _ session: borrowing SessionView, _ report: inout Report
    ) {
        // Where Tapedeck has changed traffic or timing, nothing is certain about the server.
        guard session[command.row.connection]?.lastFaultAt == nil else { return }
        let bucket = channel?.request.bucket ?? ""
        report.add(
            Finding(
                rule, connection: command.row.connection,
                client: channel?.request.clientID ?? session.client(of: command.row.connection),
                topic: key.map { "\(bucket)/\($0)" } ?? bucket, detail: detail, expected: expected,
                severity: severity, steps: steps + [FindingStep(command, shows, range)]))
    }
}
