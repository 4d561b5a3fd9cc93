import Dissection
import Filters
import Framing
import Notation
import Testing
import Wire

@testable import Faults

/// Where a glimpse of an exchange says no, no filter holds.
struct ExchangePrefilterTests {
    private static let methods = [
        "GET", "POST", "HEAD", "get", "PURGE", "OPTIONS", "CONNECT", "M\u{E9}",
    ]
    private static let hosts = [
        "hq.example", "HQ.Example:8080", "simperium.com", "auth.simperium.com:443", "[::1]:80",
        "10.0.0.1", "a:99999", "x:", "", "bad host", "h\u{E9}.example", "other.example:65535",
    ]
    private static let paths = [
        "/", "/a/page", "/a/demo/phone/restore/", "/a/demo/receiver/secure/app/", "/formList",
        "/1/app/authorize", "/1/app/bucket/i/key", "//1/app/create", "/sock/1/app/websocket",
        "/forms/7/x.xml", "/x.xml", "/manifest", "/forms/manifest", "/submission", "/caf\u{E9}",
        "/a%20b", "/A/PAGE", "/phone", "/phone/keys", "/a#b", "/1", "/sock", "/x.xm", "/receiverx",
        "//phone//restore//", "/formList/", "/xform", "/xformsManifest", "/form.xml",
    ]
    private static let queries = [
        nil, "", "x=1", "device_id=d&last_issued=1", "deviceID=phone-1", "a?b", "q=caf\u{E9}",
        "LAST_ISSUED=1&device_id=2",
    ]
    private static let headers = [
        "", "X-OpenRosa-DeviceID: phone-1\r\n", "Connection: Upgrade\r\nUpgrade: websocket\r\n",
        "Upgrade: h2c\r\n", "User-Agent: bench/1\r\nuser-agent: two\r\n", "Odd : value\r\n",
        "User-Agent: a\r\n folded\r\n", "Connection: keep-alive, upgrade\r\n",
    ]
    private static let responses = [
        nil, "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 503 Busy\r\nRetry-After: 30\r\n\r\n",
        "HTTP/1.0 404\r\nUser-Agent: server\r\n\r\n",
    ]
    private static let comparisons = [
        "method:GET", "method:PURGE", "method:get", "method:P*", "method~ur", "method:*",
        "host:hq.example", "host:HQ.EXAMPLE", "host:*.example", "host~simper", "host:*",
        "host:~^h", "path:/a/page", "path:/a/*", "path:*/restore/", "path~PHONE", "path:/*a*e*",
        "path=\"/a b\"", "query~x", "query:*", "query:x=1", "query~device", "scheme:https",
        "scheme:http", "port:80", "port:8080", "port:1..1000", "version:HTTP/1.1", "version:*",
        "api:http", "api:commcare.*", "api:commcare.restore", "api:simperium.auth", "api:websocket",
        "api:openrosa.form", "api:commcare.keys", "api~rosa", "api:*", "id:1", "id:2..9",
        "session:3", "session:4", "connection:7", "device:phone-1", "device:*", "kind:exchange",
        "request.header.user-agent:bench*", "request.header.odd:*", "header.user-agent:*",
        "url:*page*", "request.size:>10", "command:c", "opcode:1", "key:*", "status:5xx",
        "status:200", "response.header.user-agent:server", "retry-after:30", "retry-after:*",
        "header.retry-after~3", "response.size:0", "status:*",
    ]

    private static func filter(
        _ draws: inout SplitMix64, depth: Int
    ) -> String {
        func pick(_ texts: [String]) -> String { texts.randomElement(using: &draws) ?? "" }
        guard depth > 0 else { return pick(comparisons) }
        let one = filter(&draws, depth: depth - 1)
        switch Int.random(in: 0..<5, using: &draws) {
        case 0: return "not (\(one))"
        case 1, 2: return "(\(one)) (\(filter(&draws, depth: depth - 1)))"
        case 3: return "(\(one)) or (\(filter(&draws, depth: depth - 1)))"
        default: return one
        }
    }

    private static func exchange(_ draws: inout SplitMix64) -> LiveExchange? {
        func pick<Choice>(_ choices: [Choice]) -> Choice? { choices.randomElement(using: &draws) }
        let host = pick(hosts) ?? ""
        var target = (pick(paths) ?? "") + ((pick(queries) ?? nil).map { "?\($0)" } ?? "")
        switch Int.random(in: 0..<8, using: &draws) {
        case 0: target = "http://\(pick(hosts) ?? "")\(target)"
        case 1: target = "https://\(pick(hosts) ?? "")\(target)"
        case 2:
            target =
                ["*", "ftp://a.example/x", "http://a.example?x", "u@h", "h:80"].randomElement(
                    using: &draws) ?? ""
        default: break
        }
        let text =
            "\(pick(methods) ?? "") \(target) HTTP/1.\(Int.random(in: 0...1, using: &draws))\r\n"
            + (Bool.random(using: &draws) ? "Host: \(host)\r\n" : "") + (pick(headers) ?? "")
            + "\r\n"
        guard let head = head(text, .request) else { return nil }
        var exchange = LiveExchange(
            number: Int.random(in: 1...3, using: &draws), head: head, at: Instant(nanoseconds: 5))
        exchange.requestSize = Int64.random(in: 0...20, using: &draws)
        exchange.responseHead = (pick(responses) ?? nil).flatMap { Self.head($0, .response) }
        return exchange
    }

    private static func head(_ text: String, _ role: HTTPRole) -> HTTPHead? {
        var framer = HTTPFramer(role: role)
        var events: [HTTPEvent] = []
        _ = framer.consume(Array(text.utf8).span, into: &events)
        guard case .head(let head, _)? = events.first else { return nil }
        return head
    }

    private static let contexts: [GateContext] = [nil, "hq.example", "auth.simperium.com"].flatMap {
        host in
        [true, false].map { isTLS in
            GateContext(
                connection: ConnectionID(7), session: SessionID(3), client: "10.0.0.5",
                server: host.map { .init(host: $0, port: 8080, isTLS: isTLS) })
        }
    }

    @Test(arguments: 0..<20)
    func `says no only where the filter does not hold`(_ seed: Int) throws {
        var draws = SplitMix64(seed: UInt64(seed))
        var (refused, refusedEarly, held, asked) = (0, 0, 0, 0)
        for _ in 0..<100 {
            let text = Self.filter(&draws, depth: Int.random(in: 0...3, using: &draws))
            guard let filter = try? Filter.parse(text) else {
                Issue.record("\(text) is no filter")
                continue
            }
            let condition = ExchangeCondition(filter.root)
            let earlyCondition = ExchangeCondition(filter.root, isEarly: true)
            for _ in 0..<20 {
                guard let exchange = Self.exchange(&draws),
                    let context = Self.contexts.randomElement(using: &draws)
                else { continue }
                let subject = ExchangeSubject(
                    session: context.session, row: exchange.row(context),
                    contents: exchange.contents)
                var prefilter = ExchangePrefilter()
                let fits = prefilter.fits(condition, exchange, context)
                // What is told once is told again.
                let again = prefilter.fits(condition, exchange, context)
                #expect(again == fits)
                let holds = filter.matches(subject)
                if holds, !fits {
                    Issue.record("\(text) holds for \(exchange.head.target) and was refused")
                }
                var begun = exchange
                (begun.requestSize, begun.responseHead) = (0, nil)
                var early = ExchangePrefilter()
                let opens = early.fits(earlyCondition, begun, context)
                if holds, !opens {
                    Issue.record("\(text) holds for \(exchange.head.target), refused at its head")
                }
                if !opens { refusedEarly += 1 }
                asked += 1
                if holds { held += 1 }
                if !fits { refused += 1 }
            }
        }
        // Most of what does not hold is told without being read.
        #expect(refused * 3 > (asked - held) * 2)
        #expect(refusedEarly * 2 > asked - held)
        #expect(held > 100)
    }

    @Test func `plain requests are those that no endpoint is known for`() throws {
        var plain = 0
        for path in Self.paths + Self.queries.compactMap({ $0.map { "/a/page/\($0)" } }) {
            for query in Self.queries {
                for method in Self.methods where method != "CONNECT" {
                    for host in ["hq.example", "simperium.com", "auth.simperium.com"] {
                        let isPlain = Array(path.utf8).withUnsafeBytes { path in
                            guard let query else { return API.isPlain(path: path, query: nil) }
                            return Array(query.utf8).withUnsafeBytes {
                                API.isPlain(path: path, query: $0)
                            }
                        }
                        guard isPlain else { continue }
                        plain += 1
                        #expect(
                            API.name(
                                method: method, host: host, path: path, query: query,
                                isUpgrade: false) == API.plain, "\(method) \(host) \(path)")
                    }
                }
            }
        }
        #expect(plain > 500)
    }

    @Test func `nothing is read of a request that ten rules are not about`() throws {
        let lines = [
            "api:commcare.restore => 503 first=3", "path:/never/* => 404",
            "host:*.nowhere.example => drop", "method:PURGE => reset",
            "query~nobody-says-this => latency 300ms",
        ]
        let session = FaultSession(
            plan: FaultPlan(
                rules: try lines.enumerated().map { try FaultRule.parse($1, named: "\($0)") },
                seed: nil), seed: 1)
        let condition = session.exchangeConditions[FilterPhase.requestHead.rawValue]
        let head = try #require(Self.head(Talk.get("/a/page"), .request))
        let exchange = LiveExchange(number: 1, head: head, at: Instant(nanoseconds: 0))
        var prefilter = ExchangePrefilter()
        let fits = prefilter.fits(condition, exchange, Self.contexts[0])
        #expect(!fits)
        let restore = try #require(Self.head(Talk.get(Talk.restorePath), .request))
        var other = ExchangePrefilter()
        let mayFit = other.fits(
            condition, LiveExchange(number: 1, head: restore, at: Instant(nanoseconds: 0)),
            Self.contexts[0])
        #expect(mayFit)
    }
}
