import Dissection
import Notation
import Simperium
import Wire

/// Checks what clients send in `c`, and how they handle acknowledgements, errors and remote
/// changes.
///
/// Follows for each bucket the versions and data of its objects, as far as the server sent them,
/// and for each client what it received of them and what it sent, over its reconnections. A client
/// counts as having received what was sent on its connection once it has shown that, by a heartbeat
/// or a version, or after half a minute; until then it may have sent first and received later.
struct SimperiumChangeCheck: Check {
    typealias Place = SimperiumChangePlace
    typealias Sent = SimperiumChangeSent
    typealias Key = SimperiumChangeKey
    typealias Channel = SimperiumChangeChannel
    typealias Answer = SimperiumChangeAnswer

    /// A command of a client or server on an open channel.
    struct Scene {
        let command: CommandEvidence
        let connection: ConnectionID
        let channel: Channel
        /// Number of the bucket of the user, and of the client in it.
        let bucket: Int32
        let client: Int32
        let at: Instant
        /// Number of the command among the kept.
        let evidence: Int
        /// Whether all of the connection was captured so far.
        let isWhole: Bool
    }

    var connections: [ConnectionID: SimperiumChangeConnection] = [:]
    private var over: [ConnectionID] = []
    private var buckets: [String: Int32] = [:]
    private var clientNumbers: [Place: Int32] = [:]
    var clients: [SimperiumChangeClient] = []
    var keys = SimperiumChangeRecent<Key>(most: 60_000)
    var sent = SimperiumChangeRecent<Sent>(most: 32 << 20)
    var truth = SimperiumChangeTruth()
    var removed = SimperiumChangeRecent<SimperiumRemovedObject>(most: 8 << 20)
    var kept = SimperiumChangeEvidence()
    var deadlines = Deadlines<SimperiumChangeDeadline>(most: 20_000)
    var patience = Patience()
    /// Whether the recording has ended: nobody can show any more what he received.
    private(set) var isEnded = false
    private var sessions: Int32 = 0

    static let maxClients = 50_000
    /// Nanoseconds after which a client has received what was sent to it, unless bytes are held
    /// back.
    static let surely: Int64 = 60_000_000_000
    /// Nanoseconds within which a client that is awake sends something: two heartbeats.
    static let heartbeats: Int64 = 45_000_000_000
    /// Commands that a client works on without delay.
    static let mostAtOnce = 64

    mutating func observe(
        _ evidence: borrowing Evidence, _ session: borrowing SessionView, _ report: inout Report
    ) {
        switch evidence {
        case .command(let command): observe(command, session, &report)
        case .event(let row) where row.kind == .closed:
            guard let id = row.connection, let known = connections[id], known.endedAt == nil
            else { return }
            connections[id]?.endedAt = row.at
            bury(id)
        case .fault(let row):
            // After these, time does not show what a client received.
            guard let id = row.connection, row.hasEffect([.delayed, .stalled]) else { return }
            connections[id, default: .init()].isSlow = true
        // Objects may have been removed and created again.
        case .gap:
            truth.removeAll()
            removed.removeAll()
        default: break
        }
    }

    private mutating func bury(_ id: ConnectionID) {
        over.append(id)
        guard over.count > 4096 else { return }
        for id in over.prefix(2048) { connections[id] = nil }
        over.removeFirst(2048)
    }

    private mutating func observe(
        _ command: CommandEvidence, _ session: borrowing SessionView, _ report: inout Report
    ) {
        let id = command.row.connection
        let isClient = command.row.sender == .client
        if isClient {
            guard let said = command.said?.command else { return }
            connections[id, default: .init()].lastSentAt = command.row.at
            if case .heartbeat(let number) = said.body { return beat(number, id) }
            if case .initialize(let request) = said.body {
                open(request, command, id)
                connections[id]?.isQuick = session[id]?.isQuick ?? false
                return judgeForm(of: command, session, &report)
            }
            if !said.notes.isEmpty || said.problem != nil {
                judgeForm(of: command, session, &report)
            }
        } else if let heard = command.heard?.command {
            connections[id, default: .init()].heard += 1
            if case .heartbeat(let number) = heard.body {
                let seq = connections[id]?.heard ?? 0
                // Of two equal answers the client may have received only the first.
                if connections[id]?.beat?.number != number {
                    connections[id]?.beat = (number, seq)
                }
                return
            }
            if case .auth(let reply) = heard.body { return take(reply, heard.channel, id) }
        }
        guard let number = command.version?.command.channel,
            let channel = connections[id]?.channels[number], let bucket = channel.bucket
        else { return }
        switch command.row.name {
        case "c", "e", "i", "cv": break
        default: return
        }
        let scene = Scene(
            command: command, connection: id, channel: channel, bucket: bucket,
            client: channel.client, at: command.row.at, evidence: kept.keep(command),
            isWhole: session.isWhole(id))
        if isClient {
            takeRequest(scene, session, &report)
        } else {
            takeReply(scene, session, &report)
        }
    }

    // MARK: Opening

    private mutating func open(
        _ request: InitRequest, _ command: CommandEvidence, _ id: ConnectionID
    ) {
        guard let number = command.said?.command.channel,
            (connections[id]?.channels.count ?? 0) < 4096
        else { return }
        sessions &+= 1
        let asks: Bool =
            switch request.request {
            case .index, .changesSince: true
            default: false
            }
        connections[id]?.channels[number] = Channel(
            number: number, session: sessions, app: request.app ?? command.row.app ?? "",
            bucketName: request.bucket ?? "", clientID: request.clientID ?? "",
            asksInInit: asks, openedAt: command.row.at)
    }

    private mutating func take(_ reply: AuthReply, _ number: Int?, _ id: ConnectionID) {
        guard let number, let channel = connections[id]?.channels[number] else { return }
        guard case .accepted(let user) = reply else {
            connections[id]?.channels[number]?.bucket = nil
            return
        }
        guard channel.bucket == nil, !channel.clientID.isEmpty else { return }
        let name = channel.app + "\u{0}" + channel.bucketName + "\u{0}" + user
        guard buckets[name] != nil || buckets.count < Self.maxClients else { return }
        let bucket = buckets[name] ?? Int32(buckets.count)
        buckets[name] = bucket
        let place = Place(owner: bucket, key: ExactText(channel.clientID))
        guard clientNumbers[place] != nil || clients.count < Self.maxClients else { return }
        let client = clientNumbers[place] ?? Int32(clients.count)
        if clientNumbers.updateValue(client, forKey: place) == nil {
            clients.append(
                SimperiumChangeClient(
                    id: channel.clientID, bucket: bucket, bucketName: channel.bucketName))
        }
        clients[Int(client)].session = channel.session
        connections[id]?.channels[number]?.bucket = bucket
        connections[id]?.channels[number]?.client = client
        if channel.asksInInit { connections[id]?.channels[number]?.asks = 1 }
    }

    /// A heartbeat that continues from an answer shows that the answer was received, and all before
    /// it.
    private mutating func beat(_ number: Int64, _ id: ConnectionID) {
        if let known = connections[id], let beat = known.beat, beat.number < .max,
            number == beat.number + 1,
            number != known.sentBeat
        {
            connections[id]?.proven = max(known.proven, beat.seq)
        }
        connections[id]?.sentBeat = number
    }

    // MARK: What a client has received

    /// Whether a client has received the `seq`-th command of a connection.
    func isCertain(_ id: ConnectionID, _ seq: Int, _ at: Instant, now: Instant) -> Bool {
        guard let connection = connections[id] else { return false }
        if connection.proven >= seq { return true }
        return connection.endedAt == nil && !connection.isSlow
            && now.nanoseconds - at.nanoseconds >= Self.surely
    }

    /// Whether a client that sends something now had the `seq`-th command of a connection, which it
    /// has shown, or which was delivered to it 0.9 s and more before without many to come first.
    func had(_ id: ConnectionID, _ seq: Int, _ at: Instant, now: Instant) -> Bool {
        if isCertain(id, seq, at, now: now) { return true }
        guard let connection = connections[id], connection.isQuick, !connection.isSlow else {
            return false
        }
        return now.nanoseconds - at.nanoseconds > ConnectionView.crossingNanoseconds
            && connection.heard - seq <= Self.mostAtOnce
    }

    /// Whether a client that sends again has received the answer to what it sent.
    func isKnown(_ answer: Answer, to sent: Sent, _ scene: Scene) -> Bool {
        guard answer.session == scene.channel.session else {
            // Commands before a channel was reopened were not delivered.
            return answer.connection != scene.connection
                && (connections[answer.connection]?.proven ?? 0) >= answer.seq
        }
        if isCertain(scene.connection, answer.seq, answer.at, now: scene.at) { return true }
        // A client that requested everything again resends what it considers unanswered.
        guard sent.asks == scene.channel.asks else { return false }
        // One that sends again after a while may just not have waited long enough.
        let crossing: Int64 = 1_000_000_000
        return answer.at.nanoseconds - sent.sentAt.nanoseconds <= 3 * crossing
            || scene.at.nanoseconds - answer.at.nanoseconds > crossing
    }

    // MARK: Time

    mutating func advance(
        to now: Instant, _ session: borrowing SessionView, _ report: inout Report
    ) {
        while let (at, item) = deadlines.next(before: now) { judge(item, at, session, &report) }
    }

    func undecided(
        at end: Instant, _ session: borrowing SessionView, _ report: inout Report
    ) {
        var check = self
        check.isEnded = true
        while let item = check.deadlines.next(before: Instant(nanoseconds: .max))?.item {
            check.judge(item, end, session, &report)
        }
        check.leaveUnanswered(session, &report)
    }

    // MARK: Findings

    /// Adds a finding about a command on a channel.
    func find(
        _ rule: Rule, _ scene: Scene, _ key: ExactText?, detail: String, expected: String? = nil,
        cause: String? = nil, severity: FindingRow.Severity? = nil, absorbs: Set<String> = [],
        after earlier: [(evidence: Int, detail: String)] = [], _ step: String,
        _ range: Range<Int>? = nil, _ report: inout Report
    ) {
        var steps: [FindingStep] = []
        for (number, detail) in earlier {
            guard let command = kept[number] else { continue }
            steps.append(FindingStep(command, detail))
        }
        steps.append(FindingStep(scene.command, step, range))
        var finding = Finding(
            rule, connection: scene.connection, client: scene.channel.clientID,
            topic: topic(scene.channel.bucketName, key), detail: detail, expected: expected,
            cause: cause, severity: severity, steps: steps)
        finding.absorbs = absorbs
        report.add(finding)
    }

    func topic(_ bucket: String, _ key: ExactText?) -> String {
        key.map { bucket + "/" + $0.string } ?? bucket
    }
}
