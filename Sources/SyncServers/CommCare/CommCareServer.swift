/// A CommCare server in memory: takes forms, keeps the cases they make and gives them back.
///
/// A value: requests in, answers out; time and randomness are inputs. Any user and password are
/// let in, and every user of a domain gets all of its cases. Source: `commcare-http.txt`, and what
/// CommCare HQ does.
public struct CommCareServer: Sendable {
    /// How it behaves.
    public struct Options: Hashable, Sendable {
        /// How many times a restore is answered with 202 and progress before it is there.
        public var restorePolls: Int
        /// Seconds that a client is asked to wait between two of them.
        public var retryAfter: Int

        /// Options with these values.
        public init(restorePolls: Int = 0, retryAfter: Int = 1) {
            self.restorePolls = max(0, restorePolls)
            self.retryAfter = max(0, retryAfter)
        }
    }

    /// Bounds of what clients can make the server keep.
    enum Limit {
        /// Largest form, in bytes; as CommCare HQ has it.
        static let form = 10 << 20
        /// Most domains.
        static let domains = 100
        /// Most forms of a domain that are told from one sent again.
        static let forms = 100_000
        /// Most restores of a domain that can be continued.
        static let restores = 10_000
        /// Size of all cases of a domain, in bytes, roughly.
        static let cases = 256 << 20
    }

    let options: Options
    var domains: [String: Domain] = [:]

    /// A server without any forms.
    public init(options: Options = Options()) { self.options = options }

    /// How many forms a domain has stored; forms sent again count once.
    public func formCount(domain: String) -> Int { domains[domain]?.count ?? 0 }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: The request; hostile.
    ///   - now: Seconds since 1970.
    ///   - random: Where identifiers come from.
    /// - Returns: The answer; nil where the path is none of CommCare's.
    public mutating func answer(
        _ request: ServedRequest, now: Int64, random: inout some RandomNumberGenerator
    ) -> ServedAnswer? {
        let path = request.segments
        if path == ["formList"] { return openRosa(Self.formList(request), request, now) }
        if path == ["submission"] {
            return openRosa(submission(request, "demo", now, &random), request, now)
        }
        guard path.count >= 3, path[0] == "a" else { return nil }
        let domain = path[1]
        guard Self.isDomain(domain), domains[domain] != nil || domains.count < Limit.domains else {
            return openRosa(.text(404, "Domain does not exist"), request, now)
        }
        let answer: ServedAnswer
        switch path[2] {
        case "receiver", "submission": answer = submission(request, domain, now, &random)
        case "formList" where path.count == 3: answer = Self.formList(request)
        case "phone" where path.count >= 4 && path[3] == "restore":
            answer = restore(request, domain, now, &random)
        default: return nil
        }
        return openRosa(answer, request, now)
    }

    /// Adds the headers that every answer of OpenRosa has.
    private func openRosa(
        _ answer: ServedAnswer, _ request: ServedRequest, _ now: Int64
    ) -> ServedAnswer {
        var answer = answer
        // The version asked for, since both 1.0 and 3.0 are about: OpenRosa HTTP, "Versions".
        let version = request.value("x-openrosa-version") ?? "1.0"
        answer.fields += [
            .init("X-OpenRosa-Version", version.contains("3.0") ? "3.0" : "1.0"),
            .init("X-OpenRosa-Accept-Content-Length", String(Limit.form)),
            .init("Content-Language", "en"),
            .init("Date", CalendarDate(now).imf),
        ]
        return answer
    }

    /// The forms on offer: none yet.
    private static func formList(_ request: ServedRequest) -> ServedAnswer {
        guard request.method == "GET" else { return notAllowed("GET") }
        return .xml(
            200,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                + "<xforms xmlns=\"http://openrosa.org/xforms/xformsList\"></xforms>")
    }

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

    /// Letters, digits, hyphens, up to 100: what CommCare HQ lets a project space be called.
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
        Hexadecimal.text(random.next()) + Hexadecimal.text(random.next())
    }
}
