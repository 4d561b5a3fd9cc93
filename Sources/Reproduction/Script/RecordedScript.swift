package import Certification
package import Diagnosis
internal import Notation
internal import OpenRosa
internal import Replaying
package import Sessions
internal import Simperium
internal import Trace
package import Wire

/// What a person did with the client of a recording, as far as its traffic shows it.
package struct RecordedScript: Sendable {
    /// The suite whose steps these are.
    package var suite: Suite.Name
    /// The application, or the CommCare project.
    package var app: String
    /// The bucket that the steps are about; empty for CommCare.
    package var bucket: String
    /// The user who is signed in at first; empty where the recording names none.
    package var user: String
    /// The steps.
    package var steps: [Step]
    /// The files that steps name.
    package var files: [Scenario.File]
    /// What the client sent and no step explains.
    package var unexplained: Int

    /// The steps in a recording that lead to a finding.
    ///
    /// - Parameters:
    ///   - session: The recording.
    ///   - finding: The finding, as the diagnosis of this recording has it.
    ///   - leavesBreachOut: Whether what the finding calls the breach itself is no step of a person.
    ///   - end: When the recording ended.
    package init(
        _ session: RecordedSession, leadingTo finding: Finding, leavesBreachOut: Bool,
        end: Instant
    ) {
        let breach = leavesBreachOut ? finding.steps.last : nil
        let isSimperium =
            finding.steps.contains { $0.command != nil }
            || finding.rule.id.hasPrefix("simperium.") && !session.commands.isEmpty
        self.init(suite: isSimperium ? .simperium : .commcare)
        if isSimperium {
            readBucket(session, finding, breach?.command, end)
        } else {
            readForms(session, breach?.exchange, end)
        }
    }

    private init(suite: Suite.Name) {
        self.suite = suite
        (app, bucket, user) = ("", "", "")
        (steps, files, unexplained) = ([], [], 0)
    }

    // MARK: Simperium

    private mutating func readBucket(
        _ session: RecordedSession, _ finding: Finding, _ breach: CommandID?, _ end: Instant
    ) {
        let cited = Set(finding.steps.compactMap(\.command))
        // Buckets by the streams of commands that are open on them, and the commands cited.
        struct Stream: Hashable {
            var socket: ConnectionID
            var channel: Int?
        }
        var opened: [Stream: String] = [:]
        var first: String?
        var wanted: String?
        for place in session.commands.indices {
            let command = session.commands[place]
            let stream = Stream(socket: command.socket, channel: command.channel)
            if command.name == "init", let request = request(session, command.id) {
                opened[stream] = request.bucket
                first = first ?? request.bucket
                if app.isEmpty { app = request.app ?? "" }
            }
            if cited.contains(command.id), wanted == nil { wanted = opened[stream] }
        }
        bucket = wanted ?? first ?? ""
        if app.isEmpty { app = Self.app(session) }
        let ends = Dictionary(
            session.sockets.map { ($0.id, $0.end != nil || $0.brokenAt != nil) },
            uniquingKeysWith: { $1 })
        var script = SimperiumScript()
        opened = [:]
        var socket: ConnectionID?
        var lastAt = Instant.zero
        for place in session.commands.indices {
            let command = session.commands[place]
            let stream = Stream(socket: command.socket, channel: command.channel)
            guard let text = session.text(command.id) else { continue }
            if command.name == "init", let request = request(session, command.id) {
                opened[stream] = request.bucket
                if let before = socket, before != command.socket {
                    if ends[before] == true {
                        script.reconnected(at: command.at)
                    } else {
                        script.reopened(at: command.at, closedAt: lastAt)
                    }
                }
                socket = command.socket
            }
            lastAt = max(lastAt, command.at)
            guard opened[stream] == bucket else { continue }
            let parsed = SimperiumCommand.parse(text, from: command.sender)
            if case .auth(.accepted(let name)) = parsed.body, user.isEmpty { user = name }
            script.take(parsed, in: text, at: command.at, isLeftOut: command.id == breach)
        }
        script.finish(at: end)
        (steps, unexplained) = (script.steps, script.unexplained)
    }

    private func request(_ session: RecordedSession, _ id: CommandID) -> InitRequest? {
        guard let text = session.text(id),
            case .initialize(let request) = SimperiumCommand.parse(text, from: .client).body
        else { return nil }
        return request
    }

    /// The application of the first socket's path, as in `/sock/1/APP/websocket`.
    private static func app(_ session: RecordedSession) -> String {
        for transport in session.transports.values.sorted(by: { $0.path < $1.path }) {
            if let app = SimperiumEndpoint.recognise(path: transport.path)?.app { return app }
        }
        return ""
    }

    // MARK: CommCare

    private mutating func readForms(
        _ session: RecordedSession, _ breach: ExchangeID?, _ end: Instant
    ) {
        var script = FormScript()
        for exchange in session.exchanges {
            guard let message = session.message(exchange.id, .client) else { continue }
            if app.isEmpty, let project = Self.project(exchange.path) { app = project }
            let name = SignedInUser.name(
                authorization: message.value("authorization"), query: exchange.query)
            let user = name.map { String($0.prefix { $0 != "@" }) }
            if self.user.isEmpty, let user { self.user = user }
            script.take(
                FormScript.Request(
                    at: exchange.startedAt, endedAt: exchange.endedAt ?? exchange.startedAt,
                    api: exchange.api, status: exchange.status, user: user,
                    device: Self.device(message, exchange.query),
                    daysSinceSync: Self.field("days_since_last_sync", exchange.query).flatMap {
                        Int($0)
                    }, message: message),
                isLeftOut: exchange.id == breach)
        }
        script.finish(at: end)
        (steps, files, unexplained) = (script.steps, script.files, script.unexplained)
    }

    /// The project of a path, as in `/a/PROJECT/receiver/`.
    private static func project(_ path: String) -> String? {
        let parts = path.split(separator: "/")
        guard let place = parts.firstIndex(of: "a"), place + 1 < parts.count else { return nil }
        return String(parts[place + 1])
    }

    private static func field(_ name: String, _ query: String?) -> String? {
        query.flatMap { FormField.parse($0.utf8).first { $0.name == name }?.value }
    }

    /// The device that a request names.
    private static func device(_ message: ReplayMessage, _ query: String?) -> String? {
        message.value("x-openrosa-deviceid") ?? field("device_id", query)
            ?? field("deviceID", query)
    }
}
