import Dissection
import Simperium
import Wire

/// Rules about the commands of a Simperium client other than changes.
struct SimperiumSessionCheck: Check {
    typealias Socket = SimperiumSessionSocket
    typealias Channel = SimperiumSessionChannel
    typealias Life = SimperiumSessionLife
    typealias Due = SimperiumSessionDue
    typealias Rules = SimperiumSessionRules

    /// A token that was refused to a client for a bucket.
    struct Refusal: Hashable, Sendable {
        var app: String?
        var clientID: String?
        var bucket: String
        var token: String
    }

    /// A change that was sent and not answered.
    struct Pending: Sendable {
        var app: String?
        var bucket: String
        var key: String?
        var clientID: String?
        var command: CommandEvidence
    }

    /// A connection that is over, and what its client had not done.
    struct Left: Sendable {
        let socket: Socket
        var dues: [Due] = []
    }

    var sockets: [ConnectionID: Socket] = [:]
    var lives: [Life.ID: Life] = [:]
    var lifeNumbers: [Life.Name: Life.ID] = [:]
    /// The last connections of clients that have none now.
    var left: [ConnectionID: Left] = [:]
    /// Heartbeats that were not answered when their connections ended.
    var doubtful: [CommandEvidence] = []
    var attempts: [SimperiumSessionAttempts.ID: SimperiumSessionAttempts] = [:]
    var arrivals: [String: SimperiumSessionArrivals] = [:]
    var refusals: [Refusal: (times: Int, command: CommandEvidence)] = [:]
    var pending: [SimperiumName: Pending] = [:]
    var deadlines = Deadlines<Due>()
    var patience = Patience()
    var lastRun = 0

    static let maxLives = 10_000
    static let maxPending = 20_000
    static let maxSockets = 20_000
    /// Connections of clients that left.
    static let maxLeft = 1_000
    /// The number of dues of one of them.
    static let maxDues = 100

    mutating func observe(
        _ evidence: borrowing Evidence, _ session: borrowing SessionView, _ report: inout Report
    ) {
        switch evidence {
        case .command(let command): take(command, session, &report)
        case .message(let message):
            judgeLeave(message, session, &report)
            take(message, session)
        case .connection(let row): arrive(row)
        case .asked(let exchange): ask(exchange, session)
        case .event(let row) where row.kind == .closed:
            if let connection = row.connection {
                depart(connection, at: row.at, session, &report)
                end(connection, at: row.at, session)
            }
        case .note(let row)
        where row.code == ConversationNote.sockJSMalformed.rawValue && row.sender == .client:
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
        // Taken out, so that nothing is copied when it changes.
        var socket = sockets.removeValue(forKey: id) ?? Socket(at: openedAt(id, command, session))
        if command.row.sender == .client {
            if let said = command.said {
                clientMessage(said.command, command, &socket, session, &report)
            }
        } else {
            serverMessage(command, &socket, session, &report)
        }
        sockets[id] = socket
    }

    private func openedAt(
        _ id: ConnectionID, _ command: CommandEvidence, _ session: borrowing SessionView
    ) -> Instant {
        session[id]?.openedAt ?? command.row.at
    }

    private mutating func take(
        _ message: MessageEvidence, _ session: borrowing SessionView
    ) {
        guard message.origin != .lost, sockets[message.row.connection] != nil else { return }
        if message.row.sender == .client {
            sockets[message.row.connection]?.lastSaidAt = message.row.endedAt
        }
        if message.row.opcode == 8, sockets[message.row.connection]?.closer == nil {
            sockets[message.row.connection]?.closer = message.row.sender
        }
    }

    // MARK: Time

    mutating func advance(
        to now: Instant, _ session: borrowing SessionView, _ report: inout Report
    ) {
        while var due = deadlines.next(before: now)?.item {
            if case .reconnect(let owner, let client, let steps) = due.duty {
                judgeAbsence(of: owner, client, steps, due, &report)
                continue
            }
            guard let view = session[due.connection], view.endedAt == nil,
                view.coverage == .whole, let socket = sockets[due.connection]
            else {
                if let count = left[due.connection]?.dues.count, count < Self.maxDues {
                    left[due.connection]?.dues.append(due)
                }
                continue
            }
            if let fault = view.lastFaultAt, fault > due.start {
                // Time for the client to react after a fault.
                due.start = fault
                wait(due)
                continue
            }
            // A client that sends nothing at all may be asleep.
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
        openBeats(at: end, session, &report)
        var check = self
        var dues = left.values.flatMap(\.dues)
        while let due = check.deadlines.next(before: Instant(nanoseconds: .max))?.item {
            dues.append(due)
        }
        for var due in dues {
            if case .reconnect = due.duty { continue }
            guard let view = session[due.connection], view.coverage == .whole,
                let socket = sockets[due.connection] ?? gone(due, view)
            else { continue }
            due.patience = max(0, end.nanoseconds - due.start.nanoseconds)
            check.judge(due, socket, session, &report)
        }
    }

    /// The connection that a client left without doing what it had to; nil where that is excused.
    private func gone(_ due: Due, _ view: borrowing ConnectionView) -> Socket? {
        if case .log = due.duty { return nil }
        if let fault = view.lastFaultAt, fault > due.start { return nil }
        return left[due.connection]?.socket
    }

    mutating func wait(_ due: Due) {
        deadlines.wait(
            until: Instant(nanoseconds: due.start.nanoseconds + due.patience), due)
    }

    // MARK: Findings

    /// Adds a finding about a channel, or about the connection where there is none.
    func add(
        _ rule: Rule, _ command: CommandEvidence, _ channel: Channel?, key: String? = nil,
        _ detail: String, severity: FindingRow.Severity? = nil, expected: String? = nil,
        cause: String? = nil, steps: [FindingStep] = [], shows: String = "the breach",
        range: Range<Int>? = nil, _ session: borrowing SessionView, _ report: inout Report
    ) {
        let bucket = channel?.bucket ?? ""
        report.add(
            Finding(
                rule, connection: command.row.connection,
                client: channel?.clientID ?? session.client(of: command.row.connection),
                topic: key.map { "\(bucket)/\($0)" } ?? bucket, detail: detail, expected: expected,
                cause: cause, severity: severity,
                steps: steps + [FindingStep(command, shows, range)]))
    }

    /// A span of time as text: `40 ms`, `1.5 s`, `12 s`.
    static func seconds(_ nanoseconds: Int64) -> String { CommCareTime.text(nanoseconds) }

    static func seconds(from a: Instant, to b: Instant) -> String {
        seconds(b.nanoseconds - a.nanoseconds)
    }
}
