public import HTTPLayer
internal import OpenRosa
internal import Platform

/// Carries out the commands of a ``CommCareClient``, over HTTP and on disk.
public final class CommCareSession {
    /// The server and the user.
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
        /// Whether a user started it, and not a timer.
        public var isUser = true
        /// What is submitted to, and how.
        public var submission = CommCareSubmission()
        /// Days that the clock of the device is ahead.
        public var daysLater = 0

        /// Settings.
        public init(url: String, domain: String, user: String, password: String) {
            self.url = url
            self.domain = domain
            self.user = user
            self.password = password
        }
    }

    private var settings: Settings
    private var scheme = Credentials.Scheme.preemptiveBasic
    /// Whether bodies go out in chunks; no longer once a server has refused them.
    private var sendsChunks: Bool
    /// The submission URL of an OpenRosa server, once it was requested.
    private var openRosaURL: String?
    private let state: CommCareState
    private let manager: HTTPManager
    private let show: (String) -> Void
    private let progress: (String?, String?) -> Void
    private let askPassword: () -> String?

    /// A session.
    ///
    /// - Parameters:
    ///   - settings: The server and the user.
    ///   - state: The state of this user.
    ///   - manager: Sends the requests; it must follow no redirects, which would lose forms.
    ///   - show: Receives the messages for the user.
    ///   - progress: Takes how far a restore is: done and total.
    ///   - askPassword: Returns another password after a 401; nil where no user can be asked.
    public init(
        _ settings: Settings, state: CommCareState, manager: HTTPManager,
        show: @escaping (String) -> Void,
        progress: @escaping (String?, String?) -> Void, askPassword: @escaping () -> String?
    ) {
        self.settings = settings
        sendsChunks = settings.submission.sendsChunks
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
        var now = clock
        let age = try state.daysSinceSync(at: now) ?? 0
        var client = CommCareClient(
            work, isUser: settings.isUser, queue: queue, pauses: try state.pauses(),
            hasToken: try !state.needsFullRestore() && age <= Self.maxDays)
        var commands = client.handle(.start, now: now)
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
                case .claim(let caseID): event = .answered(try await claim(caseID))
                case .swapIn(let isFull):
                    event = .restored(problem: try state.swapIn(isFull: isFull, at: clock))
                case .wait(let until):
                    let pause = max(0, until - now)
                    do { try await Task.sleep(for: .seconds(pause)) } catch {
                        return .later("stopped while the server prepares the data")
                    }
                    event = .due
                case .askCredentials:
                    let password = askPassword()
                    scheme = .preemptiveBasic
                    if let password { settings.password = password }
                    event = .credentials(areNew: password != nil)
                }
            }
            guard let event else { break }
            // A second that has begun counts as elapsed, so that no pause is shorter than required.
            now = clock + 1
            commands = client.handle(event, now: now, jitter: .random(in: 0...1))
        }
        return .done
    }

    /// Days after which CommCare HQ has deleted a sync token.
    ///
    /// Source: Diagnosis/Catalogue.md#c72.
    static let maxDays = 63

    /// Seconds since 1970 by the clock of the device.
    private var clock: Int64 { Int64(time(nil)) + Int64(settings.daysLater) * 86_400 }

    private func device() throws(CommCareClientError) -> CommCareRequest.Device {
        CommCareRequest.Device(
            deviceID: try state.fact("device"), userID: try state.fact("user_id"),
            syncToken: try state.fact("token"),
            isDemonstration: settings.submission.isDemonstration)
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
        guard !settings.submission.isDemonstration else { return request }
        // CommCare HQ identifies users by the whole name, other servers by the name within the
        // project.
        let root = base.contains("commcarehq.org") ? ".commcarehq.org" : ""
        let user =
            settings.user.contains("@")
            ? settings.user : "\(settings.user)@\(settings.domain)\(root)"
        request.credentials = Credentials(user: user, password: settings.password, scheme: scheme)
        return request
    }

    /// Sends a request; once more where the server requires digest instead of basic.
    private func send(_ request: Request) async -> Response {
        let response = await manager.response(to: request)
        let wantsDigest =
            response.metadata?.headers.contains {
                $0.name.lowercased() == "www-authenticate"
                    && $0.value.lowercased().hasPrefix("digest")
            } ?? false
        guard response.metadata?.status == 401, scheme == .preemptiveBasic, wantsDigest else {
            return response
        }
        scheme = .asAsked
        var again = request
        again.credentials?.scheme = scheme
        return await manager.response(to: again)
    }

    private func submit(_ id: Int64) async throws(CommCareClientError) -> CommCareAnswer {
        guard let form = try state.prepared(id) else {
            throw .wrongState("the state has no content of form \(id)")
        }
        let device = try device()
        let shape: CommCareRequest
        if settings.submission.isOpenRosa {
            if let refusal = try await check(device) { return refusal }
            shape = .openRosaSubmission(from: device, contentType: form.contentType, now: clock)
        } else {
            shape = .submission(from: device, contentType: form.contentType)
        }
        guard var request = request(submissionPath, shape) else {
            throw .badForm("\(form.filename) cannot be written as a submission")
        }
        if let openRosaURL { request.url = openRosaURL }
        request.requestBody = .file(path: form.path)
        guard sendsChunks else { return try answer(await send(request), file: nil) }
        var chunked = request
        chunked.headers.append((name: "Transfer-Encoding", value: "chunked"))
        let response = await send(chunked)
        // RFC 9112, 6.3 and 6.1: the server requires the length, or does not support chunks.
        guard [411, 501].contains(response.metadata?.status) else {
            return try answer(response, file: nil)
        }
        sendsChunks = false
        return try answer(await send(request), file: nil)
    }

    private var submissionPath: String {
        settings.submission.isOpenRosa ? "submission" : "receiver/"
    }

    /// Requests from an OpenRosa server, before the first form, whether and where it accepts forms.
    ///
    /// - Returns: Why nothing is to be sent; nil where the form may go.
    private func check(
        _ device: CommCareRequest.Device
    ) async throws(CommCareClientError) -> CommCareAnswer? {
        guard openRosaURL == nil else { return nil }
        let shape = CommCareRequest.openRosaCheck(from: device, now: clock)
        guard var request = request(submissionPath, shape) else {
            throw .badForm("the address cannot be written")
        }
        request.requestType = .get
        request.method = "HEAD"
        let response = await send(request)
        guard let status = response.metadata?.status, status < 500,
            ![401, 403, 429].contains(status)
        else { return try answer(response, file: nil) }
        openRosaURL = request.url
        // A location with the host alone means the path of the request.
        if let target = response.metadata?["Location"], Self.isSameOrigin(target, request.url),
            target.split(separator: "/").count > 2
        {
            openRosaURL = target.contains("?") ? target : "\(target)?\(shape.queryText)"
        }
        return nil
    }

    private func claim(_ caseID: String) async throws(CommCareClientError) -> CommCareAnswer {
        let shape = CommCareRequest.claim(caseID, from: try device())
        guard var request = request("phone/claim-case/", shape) else {
            throw .badForm("the address cannot be written")
        }
        request.requestBody = .bytes(Array(shape.contentText.utf8))
        return try answer(await send(request), file: nil)
    }

    private func restore(_ isFull: Bool) async throws(CommCareClientError) -> CommCareAnswer {
        var extent = CommCareRequest.Extent.full
        if isFull {
            // Requested after a 412 too, and stored so that a kill does not lose it.
            try state.storeRecovery()
        } else {
            guard let hash = try state.stateToSend() else {
                // Cases in a cycle: a device recovers without a request to the server first.
                return CommCareAnswer(status: 412)
            }
            // Devices send it after absences; on the same day there is nothing to send.
            let days = try state.daysSinceSync(at: clock).flatMap { $0 > 0 ? $0 : nil }
            extent = .since(state: hash, days: days)
        }
        guard var request = request("phone/restore/", .restore(from: try device(), extent)) else {
            throw .badForm("the address cannot be written")
        }
        request.requestType = .get
        request.bodyFile = state.download
        var response = await send(request)
        for _ in 0..<Self.maxRedirects {
            guard let target = response.metadata?.redirectURL,
                Self.isSameOrigin(target, request.url)
            else { break }
            request.url = target
            response = await send(request)
        }
        return try answer(response, file: state.download)
    }

    /// The maximum number of redirects of one restore.
    static let maxRedirects = 5

    /// Whether two addresses have the same scheme, host and port.
    static func isSameOrigin(_ a: String, _ b: String) -> Bool {
        func origin(_ url: String) -> String? {
            let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
            guard parts.count >= 3, parts[0].hasSuffix(":"), parts[1].isEmpty else { return nil }
            let scheme = parts[0].lowercased()
            var host = parts[2].prefix { $0 != "?" && $0 != "#" }.lowercased()
            if let at = host.lastIndex(of: "@") { host = String(host[host.index(after: at)...]) }
            let port = scheme == "https:" ? ":443" : ":80"
            if host.hasSuffix(port) { host.removeLast(port.count) }
            return "\(scheme)//\(host)"
        }
        return origin(a) != nil && origin(a) == origin(b)
    }

    private func answer(
        _ response: Response, file: String?
    ) throws(CommCareClientError) -> CommCareAnswer {
        guard response.error == nil, let head = response.metadata else {
            var answer = CommCareAnswer(status: 0)
            answer.text = response.error.map { "\($0)" } ?? "there was no answer"
            switch response.error {
            case .resolve, .connect, .tls, .badURL: answer.isUnreachable = true
            case .file(let path, let reason):
                throw .storage("\(path): \(reason); make room, then sync again")
            default: break
            }
            return answer
        }
        var body = response.data
        if let file, head.status == 202 { body = LocalFile.head(file, limit: 1 << 16) }
        var answer = CommCareAnswer(
            status: head.status, retryAfter: head["Retry-After"], body: body, now: clock,
            translations: settings.translations)
        answer.redirect = head.redirectURL
        return answer
    }
}
