internal import Notation
internal import OpenRosa
public import Replaying
public import Serving
internal import Simperium
public import Wire

/// Answers what a recording has no answer to, from the state that it implies, with the embedded
/// servers.
///
/// CommCare: the cases, users and sync tokens of the restores and forms that were played so far,
/// and what later restores show that must have been there. Any credentials are accepted. Once a
/// form of a user was accepted here, restores of that user are made here as well. Simperium: the
/// auth API; buckets are handled by ``SimperiumReplay``.
///
///     if model.takes(request) {
///         answer = model.answer(request, nil, now: now)
///     } else {
///         switch recording.answer(replayRequest) {
///         case .recorded(let exchange): model.played(exchange, request, now: now)
///         case .missed(let miss): answer = model.answer(request, miss, now: now)
///         }
///     }
///
/// A value, for one thread at a time. Times are seconds since 1970.
public struct ReplayModel: Sendable {
    /// An answer.
    public enum Answer: Hashable, Sendable {
        /// As this exchange was answered, once more.
        case again(ExchangeID)
        /// Made by an embedded server.
        case made(ServedAnswer)
    }

    private let exchanges: [RecordedExchange]
    private let fetch: HTTPReplay.Fetch
    private var random: SplitMix64
    private var spaces: [String: ModelledSpace] = [:]
    /// Domains of which later restores were inspected.
    private var foreseen: Set<String> = []
    private var played: Set<ExchangeID> = []
    /// Restores that were played since the last form came.
    private var fresh: Set<ExchangeID> = []
    private var simperium = SimperiumServer()
    /// What a user of Simperium was answered last, by application and name.
    private var logins: [String: ExchangeID]?
    private var tokens: [(token: String, user: String)] = []
    /// How many users of each domain have restores from here.
    private var owned: [String: Int] = [:]
    private var needless: Set<ExchangeID> = []

    /// Requests that were answered here.
    public private(set) var answered = 0

    /// The model of a recording; nothing of it is read before it is needed.
    ///
    /// - Parameters:
    ///   - exchanges: In the order of the recording.
    ///   - seed: Decides identifiers, keys and tokens; another one for each replay.
    ///   - fetch: Gives the recorded messages.
    public init(
        _ exchanges: [RecordedExchange], seed: UInt64, fetch: @escaping HTTPReplay.Fetch
    ) {
        self.exchanges = exchanges
        self.fetch = fetch
        random = SplitMix64(seed: seed)
    }

    /// Whether a request is answered here even where the recording has an answer: a restore of a
    /// user of whom the model has more.
    public func takes(_ request: ServedRequest) -> Bool {
        guard Self.api(request) == .commcareRestore, let name = Self.domain(request),
            let space = spaces[name]
        else { return false }
        return space.profile(request)?.isOnOwn ?? false
    }

    /// The recording answered a request as this exchange: the model moves along.
    ///
    /// - Parameters:
    ///   - exchange: The exchange.
    ///   - request: The request.
    ///   - answer: The body that the client got, after content coding, where it is not that of the
    ///     recording: ``HTTPReplay/rewritten(_:)``.
    ///   - now: Seconds since 1970.
    public mutating func played(
        _ exchange: RecordedExchange, _ request: ServedRequest, answer: [UInt8]? = nil, now: Int64
    ) {
        switch Self.api(request) {
        case .commcareRestore:
            guard exchange.status == 200, let name = Self.domain(request),
                let body = answer ?? fetch(exchange.id, .server)?.body,
                let restore = ModelledSpace.Restore(body)
            else { return }
            played.insert(exchange.id)
            fresh.insert(exchange.id)
            space(name) { $0.take(restore, request, without: nil, now: now) }
        case .commcareSubmit, .openRosaSubmit:
            guard let status = exchange.status, 200...299 ~= status,
                let name = Self.domain(request), isAccepted(exchange)
            else { return }
            played.insert(exchange.id)
            fresh = []
            space(name) { _ = $0.submit(Self.routed(request), isOwn: false, now: now) }
        default: break
        }
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: The request; hostile.
    ///   - miss: Why the recording does not answer it; nil where it was not tried.
    ///   - now: Seconds since 1970.
    /// - Returns: Nil where there is nothing to answer it with.
    public mutating func answer(
        _ request: ServedRequest, _ miss: HTTPMiss?, now: Int64
    ) -> Answer? {
        guard let answer = find(request, miss, now) else { return nil }
        answered += 1
        if let name = Self.domain(request) { noteNeedless(name) }
        return answer
    }

    /// Recorded restores that became unnecessary since the last call: those of users whose restores
    /// are made here.
    public mutating func takeNeedless() -> Set<ExchangeID> {
        defer { needless = [] }
        return needless
    }

    private mutating func noteNeedless(_ name: String) {
        let count = spaces[name]?.profiles.values.count { $0.isOnOwn } ?? 0
        guard count != owned[name] ?? 0 else { return }
        owned[name] = count
        for exchange in exchanges {
            let target = exchange.path + (exchange.query.map { "?\($0)" } ?? "")
            let outline = ServedRequest(exchange.method, target)
            guard Self.api(outline) == .commcareRestore, Self.domain(outline) == name,
                let request = recorded(exchange), takes(request)
            else { continue }
            needless.insert(exchange.id)
        }
    }

    /// Tokens of Simperium that were issued since the last call, each for
    /// ``SimperiumReplay/introduce(token:user:)``.
    public mutating func takeTokens() -> [(token: String, user: String)] {
        defer { tokens = [] }
        return tokens
    }

    private mutating func find(
        _ request: ServedRequest, _ miss: HTTPMiss?, _ now: Int64
    ) -> Answer? {
        var again: ExchangeID?
        if case .usedUp = miss?.reason { again = miss?.candidates.first?.exchange }
        let path = request.segments
        if path.first == "1" || path.first == "sock" {
            if let again { return .again(again) }
            // A socket is handled elsewhere.
            guard request.value("upgrade") == nil else { return nil }
            return authorize(request).map { .made($0) }
                ?? login(request).map { .again($0) }
        }
        let isSafe = request.method == "GET" || request.method == "HEAD"
        guard let api = Self.api(request), let name = Self.domain(request) else {
            return isSafe ? again.map { .again($0) } : nil
        }
        switch api {
        case .commcareSubmit, .openRosaSubmit:
            foresee(name, now)
            fresh = []
            return space(name) { $0.submit(Self.routed(request), isOwn: true, now: now) }
                .map { .made($0) }
        case .commcareRestore:
            foresee(name, now)
            // Nothing is new: the recording has more than the model could answer.
            if let again, fresh.contains(again) {
                guard let message = fetch(again, .server),
                    let body = space(name, { $0.give(message.body) })
                else { return .again(again) }
                let type = message.value("content-type") ?? "text/xml; charset=utf-8"
                return .made(
                    ServedAnswer(200, fields: [.init("Content-Type", type)], body: body))
            }
            return space(name) { $0.ask(request, now: now) }.map { .made($0) }
        case .commcareClaim, .commcareSearch:
            foresee(name, now)
            fresh = []
            return space(name) { $0.ask(request, now: now) }.map { .made($0) }
        default:
            if isSafe, let again { return .again(again) }
            return space(name) { $0.ask(Self.routed(request), now: now) }.map { .made($0) }
        }
    }

    // MARK: CommCare

    private static func api(_ request: ServedRequest) -> OpenRosaAPI? {
        let parts = request.target.split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        return OpenRosaEndpoint.recognise(
            method: request.method, path: String(parts.first ?? ""),
            query: parts.count > 1 ? String(parts[1]) : nil)
    }

    /// The domain of a path: the segment after `a`; `demo` where there is none.
    private static func domain(_ request: ServedRequest) -> String? {
        let path = request.segments
        guard path.first == "a" else { return "demo" }
        return path.count > 1 ? path[1] : nil
    }

    /// The request as the embedded server has it: OpenRosa's below any path.
    private static func routed(_ request: ServedRequest) -> ServedRequest {
        guard request.segments.first != "a", request.segments.count > 1,
            api(request) == .openRosaSubmit || api(request) == .openRosaSubmitCheck
        else { return request }
        var routed = request
        routed.target = "/submission"
        return routed
    }

    /// Does something with a domain.
    private mutating func space<Result>(
        _ name: String, _ body: (inout ModelledSpace) -> Result
    ) -> Result {
        // Taken out, so that nothing is copied.
        var space =
            spaces.removeValue(forKey: name) ?? ModelledSpace(name: name, seed: random.next())
        defer { spaces[name] = space }
        return body(&space)
    }

    /// Whether a recorded submission was stored.
    private func isAccepted(_ exchange: RecordedExchange) -> Bool {
        guard let body = fetch(exchange.id, .server)?.body, !body.isEmpty else { return true }
        for event in CommCareReader.read(body).events {
            guard case .message(let message) = event else { continue }
            return message.knownNature != .submitError && message.knownNature != .processingFailure
        }
        return true
    }

    /// Adds what existed from the start: the contents of the first whole restore of a user, without
    /// what recorded forms make before it.
    private mutating func foresee(_ name: String, _ now: Int64) {
        guard foreseen.insert(name).inserted else { return }
        var unborn: Set<ExactText> = []
        var seen: Set<String> = []
        for exchange in exchanges {
            guard let request = recorded(exchange), Self.domain(request) == name else { continue }
            switch Self.api(request) {
            case .commcareSubmit, .openRosaSubmit:
                guard !played.contains(exchange.id), let form = ModelledSpace.form(request) else {
                    continue
                }
                for block in form.caseBlocks where block.create != nil {
                    if let id = block.caseID { unborn.insert(ExactText(id)) }
                }
            case .commcareRestore:
                guard exchange.status == 200, (request.parameter("since") ?? "").isEmpty,
                    seen.insert(ModelledSpace.subject(request, name) ?? "").inserted,
                    !played.contains(exchange.id),
                    let body = fetch(exchange.id, .server)?.body,
                    let restore = ModelledSpace.Restore(body),
                    spaces[name]?.profiles[restore.user?.uuid ?? ""]?.isRestored != true
                else { continue }
                space(name) { $0.take(restore, request, without: unborn, now: now) }
            default: break
            }
        }
    }

    /// A recorded request, where it is one of CommCare's or OpenRosa's that matter.
    private func recorded(_ exchange: RecordedExchange) -> ServedRequest? {
        let target = exchange.path + (exchange.query.map { "?\($0)" } ?? "")
        var request = ServedRequest(exchange.method, target)
        switch Self.api(request) {
        case .commcareSubmit, .openRosaSubmit, .commcareRestore: break
        default: return nil
        }
        guard let message = fetch(exchange.id, .client) else { return nil }
        // The body has no content coding any more.
        request.fields = message.fields.filter { $0.name.lowercased() != "content-encoding" }
            .map { .init($0.name, $0.value) }
        request.body = message.body
        return request
    }

    // MARK: Simperium

    private mutating func authorize(_ request: ServedRequest) -> ServedAnswer? {
        guard login(request) == nil,
            let answer = simperium.answer(request, random: &random)
        else { return nil }
        if let json = try? JSONValue(parsing: String(decoding: answer.body, as: UTF8.self)),
            let token = json["access_token"]?.string, let user = json["username"]?.string
        {
            tokens.append((token, user))
            simperium.forgetRecords()
        }
        return answer
    }

    /// The recorded answer to a login under the same name.
    private mutating func login(_ request: ServedRequest) -> ExchangeID? {
        guard let key = Self.loginKey(request) else { return nil }
        if logins == nil {
            var found: [String: ExchangeID] = [:]
            for exchange in exchanges where exchange.status == 200 && exchange.path.hasPrefix("/1/")
            {
                var recorded = ServedRequest(exchange.method, exchange.path)
                recorded.body = fetch(exchange.id, .client)?.body ?? []
                if let key = Self.loginKey(recorded) { found[key] = exchange.id }
            }
            logins = found
        }
        return logins?[key]
    }

    private static func loginKey(_ request: ServedRequest) -> String? {
        let path = request.segments
        guard request.method == "POST", path.count == 3, path[0] == "1",
            ["authorize", "create"].contains(path[2]),
            let json = try? JSONValue(parsing: String(decoding: request.body, as: UTF8.self)),
            let name = json["username"]?.string
        else { return nil }
        return "\(path[1].lowercased()) \(name.lowercased())"
    }
}
