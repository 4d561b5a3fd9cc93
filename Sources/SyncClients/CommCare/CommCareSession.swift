internal import Glibc
public import HTTPLayer
internal import OpenRosa

/// Carries out what a ``CommCareClient`` says, over HTTP and on disk.
public final class CommCareSession {
    /// Where to, and as whom.
    public struct Settings: Sendable {
        /// The server, such as `https://www.commcarehq.org`.
        public var url: String
        /// The project.
        public var domain: String
        /// The user, without the project.
        public var user: String
        /// The password.
        public var password: String
        /// Texts by key, for 406.
        public var translations: [String: String] = [:]
        /// Whether a user asks, and not a timer.
        public var isUser = true

        /// Settings.
        public init(url: String, domain: String, user: String, password: String) {
            self.url = url
            self.domain = domain
            self.user = user
            self.password = password
        }
    }

    private var settings: Settings
    private let state: CommCareState
    private let manager: HTTPManager
    private let show: (String) -> Void
    private let progress: (String?, String?) -> Void
    private let askPassword: () -> String?

    /// A session.
    ///
    /// - Parameters:
    ///   - settings: Where to, and as whom.
    ///   - state: The state of this user.
    ///   - manager: Sends the requests; it must follow no redirects, which would lose forms.
    ///   - show: Takes what the user must know.
    ///   - progress: Takes how far a restore is: done and total.
    ///   - askPassword: Gives another password after a 401; nil where nobody can be asked.
    public init(
        _ settings: Settings, state: CommCareState, manager: HTTPManager,
        show: @escaping (String) -> Void,
        progress: @escaping (String?, String?) -> Void, askPassword: @escaping () -> String?
    ) {
        self.settings = settings
        self.state = state
        self.manager = manager
        self.show = show
        self.progress = progress
        self.askPassword = askPassword
    }

    /// Does the work.
    public func run(
        _ work: CommCareClient.Work
    ) async throws(CommCareClientError)
        -> CommCareOutcome
    {
        let queue = try state.entries().filter { $0.state == .queued }.map {
            CommCareClient.Queued(id: $0.id, attempts: $0.attempts)
        }
        var client = CommCareClient(
            work, isUser: settings.isUser, queue: queue, pauses: try state.pauses(),
            hasToken: try state.fact("token") != nil)
        var commands = client.handle(.start, now: Self.now())
        while !commands.isEmpty {
            var event: CommCareClient.Event?
            for command in commands {
                switch command {
                case .finish(let outcome): return outcome
                case .show(let text): show(text)
                case .progress(let done, let total): progress(done, total)
                case .store(let id, let became, let attempts, let message):
                    try state.store(id, became, attempts: attempts, message: message)
                case .pause(let kind, let pause): try state.store(kind, pause)
                case .submit(let id): event = .answered(try await submit(id))
                case .restore(let isFull): event = .answered(try await restore(isFull))
                case .swapIn(let isFull):
                    event = .restored(problem: try state.swapIn(isFull: isFull))
                case .wait(let until):
                    let pause = max(0, until - Self.now())
                    do { try await Task.sleep(for: .seconds(pause)) } catch {
                        return .later("stopped while the server prepares the data")
                    }
                    event = .due
                case .askCredentials:
                    let password = askPassword()
                    if let password { settings.password = password }
                    event = .credentials(areNew: password != nil)
                }
            }
            guard let event else { break }
            commands = client.handle(event, now: Self.now(), jitter: .random(in: 0...1))
        }
        return .done
    }

    private static func now() -> Int64 { Int64(time(nil)) }

    private func device() throws(CommCareClientError) -> CommCareRequest.Device {
        CommCareRequest.Device(
            deviceID: try state.fact("device"), userID: try state.fact("user_id"),
            syncToken: try state.fact("token"))
    }

    private func request(_ path: String, _ shape: CommCareRequest) -> Request? {
        var base = settings.url
        while base.hasSuffix("/") { base.removeLast() }
        let query = shape.query.isEmpty ? "" : "?\(shape.queryText)"
        guard
            var request = try? Request(
                url: "\(base)/a/\(settings.domain)/\(path)\(query)", retryCount: 0)
        else { return nil }
        request.headers = shape.headers.map { ($0.name, $0.value) }
        // CommCare HQ knows its users by the whole name, other servers by the project's.
        let root = base.contains("commcarehq.org") ? ".commcarehq.org" : ""
        let user =
            settings.user.contains("@")
            ? settings.user : "\(settings.user)@\(settings.domain)\(root)"
        request.credentials = Credentials(
            user: user, password: settings.password, scheme: .preemptiveBasic)
        return request
    }

    private func submit(_ id: Int64) async throws(CommCareClientError) -> CommCareAnswer {
        guard let form = try state.form(id) else {
            throw .wrongState("the state has no content of form \(id)")
        }
        let files = form.files.map { SubmissionEncoder.File(name: $0.name, content: $0.content) }
        var body: [UInt8]?
        var type = ""
        // A boundary that stands in a file is as good as impossible, twice in a row more so.
        for _ in 0..<4 where body == nil {
            let random = String(UInt64.random(in: 0 ... .max), radix: 16)
            guard let encoder = try? SubmissionEncoder(boundary: "tapedeck-\(random)") else {
                break
            }
            body = try? encoder.encode(form: form.xml, filename: form.filename, files: files)
            type = encoder.contentType
        }
        guard let body,
            var request = request(
                "receiver/", .submission(from: try device(), contentType: type))
        else { throw .badForm("\(form.filename) cannot be written as a submission") }
        request.requestBody = .bytes(body)
        return answer(await manager.response(to: request), file: nil)
    }

    private func restore(_ isFull: Bool) async throws(CommCareClientError) -> CommCareAnswer {
        let extent: CommCareRequest.Extent =
            isFull ? .full : .since(state: try state.caseSet().stateHash, days: nil)
        guard var request = request("phone/restore/", .restore(from: try device(), extent)) else {
            throw .badForm("the address cannot be written")
        }
        request.requestType = .get
        request.bodyFile = state.download
        return answer(await manager.response(to: request), file: state.download)
    }

    private func answer(_ response: Response, file: String?) -> CommCareAnswer {
        guard response.error == nil, let head = response.metadata else {
            var answer = CommCareAnswer(status: 0)
            answer.text = response.error.map { "\($0)" } ?? "there was no answer"
            switch response.error {
            case .resolve, .connect, .tls, .badURL: answer.isUnreachable = true
            default: break
            }
            return answer
        }
        var body = response.data
        if let file, head.status == 202 { body = LocalFile.head(file, limit: 1 << 16) }
        return CommCareAnswer(
            status: head.status, retryAfter: head["Retry-After"], body: body, now: Self.now(),
            translations: settings.translations)
    }
}
