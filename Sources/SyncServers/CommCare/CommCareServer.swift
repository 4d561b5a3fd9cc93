internal import Notation
internal import OpenRosa
public import Serving

/// A CommCare server: takes forms, keeps the cases and ledgers they make and gives them to devices.
///
/// A value: requests in, answers out; time and randomness are inputs. What has to be kept comes out
/// as records; ``KeptCommCareServer`` writes them. Source:
/// OpenRosa/Specification.md#server.
public struct CommCareServer: Sendable {
    /// How it behaves.
    public struct Options: Hashable, Sendable {
        /// How many times a restore is answered with 202 and progress before it is there.
        public var restorePolls: Int
        /// Seconds that a client has to wait between two of them.
        public var retryAfter: Int
        /// Cases beyond which a restore of a domain is made in slices, between other requests, and
        /// answered with 202 until it is there; 0 for none.
        public var restoreSlice = 2000
        /// Submissions that a user may send in a minute, 429 beyond; nil for any number.
        public var submissionsPerMinute: Int?
        /// The maximum number of restores that a user may request per minute, 429 beyond; nil for
        /// no limit.
        ///
        /// Polling one that is being made does not count.
        public var restoresPerMinute: Int?
        /// Requests of all together in a minute, 503 beyond; nil for any number.
        public var requestsPerMinute: Int?

        /// Options with these values; no limits.
        public init(restorePolls: Int = 0, retryAfter: Int = 1) {
            self.restorePolls = max(0, restorePolls)
            self.retryAfter = max(1, retryAfter)
        }
    }

    /// Bounds of what clients can make the server keep.
    enum Limit {
        /// Largest form, in bytes; as CommCare HQ has it.
        static let form = OpenRosaFields.acceptedLength
        /// Largest body, in bytes, when it is decompressed.
        static let body = 64 << 20
        /// The maximum number of domains.
        static let domains = 100
        /// The maximum number of forms of a domain that are kept to detect duplicates.
        static let forms = 100_000
        /// The maximum number of users of a domain who have a key.
        static let keys = 100_000
        /// The maximum number of restores of a domain that can be continued.
        static let restores = 10_000
        /// The maximum number of case identifiers that are kept for them.
        static let logged = 2_000_000
        /// Size of all cases of a domain, in bytes, roughly.
        static let cases = 256 << 20
    }

    let options: Options
    var accounts: Accounts
    var domains: [String: CommCareDomain] = [:]
    /// Whether what happened is written to a file.
    var isKept = true
    /// Whether the caller holds back a 202 from clients that do not support it, and polls for them.
    var holdsBack = false
    /// Restores that are being made.
    var line: RestoreLine
    /// How many requests came in the last minute.
    var meter = RequestMeter()
    /// What happened since ``takeRecords()``.
    var records: [Record] = []

    /// A server without any forms.
    ///
    /// - Parameters:
    ///   - options: How it behaves.
    ///   - accounts: The accepted users. Where all are accepted, every user of a domain gets all of
    ///     its cases; otherwise those of the user and of the user's groups.
    public init(options: Options = Options(), accounts: Accounts = .open) {
        self.options = options
        self.accounts = accounts
        line = RestoreLine(retryAfter: options.retryAfter)
    }

    /// How many forms a domain has stored; forms sent again count once, each edit as well.
    public func formCount(domain: String) -> Int { domains[domain]?.count ?? 0 }

    /// What has to be written before the last answers go out.
    mutating func takeRecords() -> [Record] {
        defer { records = [] }
        return records
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: The request; hostile.
    ///   - now: Seconds since 1970.
    ///   - random: Where identifiers come from.
    ///   - isAgain: Whether it was counted before.
    /// - Returns: The answer; nil where the path is none of CommCare's.
    public mutating func answer(
        _ request: ServedRequest, now: Int64, random: inout some RandomNumberGenerator,
        isAgain: Bool = false
    ) -> ServedAnswer? {
        let path = request.segments
        var answer: ServedAnswer
        if !isAgain, Self.isOurs(path),
            var refusal = overload(most: options.requestsPerMinute, now)
        {
            finish(&refusal, request, now)
            return refusal
        }
        switch path.first {
        case "formList" where path.count == 1: answer = Self.formList(request)
        case "xformsManifest" where path.count == 1: answer = Self.manifest(request)
        case "submission" where path.count == 1:
            answer = submission(request, "demo", isOpenRosa: true, now, &random)
        case "a" where path.count >= 3:
            guard let routed = route(request, path, now, &random) else { return nil }
            answer = routed
        default: return nil
        }
        finish(&answer, request, now)
        return answer
    }

    /// Whether a path is one that can be answered.
    private static func isOurs(_ path: [String]) -> Bool {
        switch path.first {
        case "a": path.count >= 3 && parts.contains(path[2])
        case let only?: path.count == 1 && parts.contains(only)
        case nil: false
        }
    }

    /// What a domain has below its path.
    private static let parts: Set<String> = [
        "receiver", "submission", "formList", "xformsManifest", "phone",
    ]

    /// Answers what is below the path of a domain.
    private mutating func route(
        _ request: ServedRequest, _ path: [String], _ now: Int64,
        _ random: inout some RandomNumberGenerator
    ) -> ServedAnswer? {
        let domain = path[1]
        guard Self.parts.contains(path[2]) else { return nil }
        guard Self.isDomain(domain), domains[domain] != nil || domains.count < Limit.domains else {
            return .text(
                404,
                "Domain does not exist; a name is up to 100 letters, digits and hyphens, and "
                    + "this server takes \(Limit.domains) of them")
        }
        switch (path[2], path.dropFirst(3).first) {
        case ("receiver", "submission"), ("submission", nil):
            return submission(request, domain, isOpenRosa: true, now, &random)
        case ("receiver", _): return submission(request, domain, isOpenRosa: false, now, &random)
        case ("formList", nil): return Self.formList(request)
        case ("xformsManifest", nil): return Self.manifest(request)
        case ("phone", "restore"): return restore(request, domain, now, &random)
        case ("phone", "keys"): return keys(request, domain, now, &random)
        case ("phone", "heartbeat"): return heartbeat(request, domain)
        case ("phone", "search"): return search(request, domain)
        case ("phone", "claim-case"): return claim(request, domain, now, &random)
        default: return nil
        }
    }

    /// Adds the headers that every answer of OpenRosa has, and compresses where a client takes it.
    private func finish(_ answer: inout ServedAnswer, _ request: ServedRequest, _ now: Int64) {
        let version = request.value("x-openrosa-version")
        answer.fields += OpenRosaFields.answer(to: version, unixSeconds: now).map {
            .init($0.name, $0.value)
        }
        guard answer.body.count >= Gzip.worthwhile else { return }
        answer.fields.append(.init("Vary", "Accept-Encoding"))
        guard !answer.fields.contains(where: { $0.name == "Content-Encoding" }),
            Gzip.isAccepted(request.value("accept-encoding")),
            let body = Gzip.encode(answer.body)
        else { return }
        answer.body = body
        answer.fields.append(.init("Content-Encoding", "gzip"))
    }

    /// Whether errors are answered with 422 rather than 201.
    static func isVersion3(_ version: String?) -> Bool { version == "3.0" }

    /// The answer to a method that the path does not have.
    static func notAllowed(_ allowed: String) -> ServedAnswer {
        var answer = ServedAnswer.text(405, "Method not allowed; use \(allowed)")
        answer.fields.append(.init("Allow", allowed))
        return answer
    }

    /// An `OpenRosaResponse` with a message and nothing else.
    static func response(_ status: Int, _ nature: String, _ message: String) -> ServedAnswer {
        .xml(
            status,
            "<OpenRosaResponse xmlns=\"http://openrosa.org/http/response\">"
                + "<message nature=\"\(nature)\">\(message.escapedForXML)</message>"
                + "</OpenRosaResponse>")
    }

    /// Letters, digits, hyphens, up to 100: the valid names of project spaces of CommCare HQ.
    private static func isDomain(_ name: String) -> Bool {
        1...100 ~= name.utf8.count
            && name.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// An identifier of 32 lower-case hexadecimal digits.
    static func identifier(_ random: inout some RandomNumberGenerator) -> String {
        Hexadecimal.text(random.next(), digits: 16) + Hexadecimal.text(random.next(), digits: 16)
    }
}
