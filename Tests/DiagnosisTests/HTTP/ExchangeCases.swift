import Wire

@testable import Diagnosis

/// Three cases of a rule that one exchange breaks.
struct ExchangeCases {
    let rule: Rule
    /// A request and the answer that break the rule.
    let broken: (request: String, response: String)
    /// A request and the answer that come close.
    let good: (request: String, response: String)
    /// An exchange that comes before.
    var before: (request: String, response: String)?
    /// How long the answer takes, in seconds.
    var took = 0.01
    /// Rules that are broken as well.
    var also: Set<String> = []

    init(
        _ rule: Rule, broken: (String, String), good: (String, String),
        after before: (String, String)? = nil, took: Double = 0.01, also: Set<String> = []
    ) {
        self.rule = rule
        self.broken = (broken.0, broken.1)
        self.good = (good.0, good.1)
        self.before = before.map { ($0.0, $0.1) }
        self.took = took
        self.also = also
    }

    /// The rule broken, not broken, and broken where Tapedeck had its hands in it.
    var cases: [RuleCase] {
        let (broken, good, before, took) = (broken, good, before, took)
        @Sendable func begin(_ script: inout SessionScript) -> ConnectionID {
            let id = script.connection(at: 0)
            if let before { script.exchange(id, before.request, before.response, at: 0.5) }
            return id
        }
        let sender: Peer = rule.blames
        return [
            RuleCase(rule, .breaks, "one exchange", also: also) { script in
                let id = begin(&script)
                script.exchange(id, broken.request, broken.response, at: 1, took: took)
            },
            RuleCase(rule, .behaves, "one that comes close") { script in
                let id = begin(&script)
                script.exchange(id, good.request, good.response, at: 1)
            },
            RuleCase(rule, .silent, "what Tapedeck changed") { script in
                let id = begin(&script)
                script.rule("=> set-header X-Tapedeck 1 sender=\(sender)")
                script.exchange(id, broken.request, broken.response, at: 1, took: took)
            },
        ]
    }
}

/// Heads that break no rule.
enum Plain {
    static let date = "Date: Sun, 06 Nov 1994 08:49:37 GMT"
    static let get = "GET /things/1 HTTP/1.1\nHost: server.example\n\n"
    static let post =
        "POST /things HTTP/1.1\nHost: server.example\nContent-Type: text/plain\n\nhello"
    static let ok = "HTTP/1.1 200 OK\n\(date)\nContent-Type: text/plain\n\nok"

    static func get(_ fields: String) -> String {
        "GET /things/1 HTTP/1.1\nHost: server.example\n\(fields)\n\n"
    }

    static func post(_ fields: String, _ body: String = "hello") -> String {
        "POST /things HTTP/1.1\nHost: server.example\n\(fields)\n\n\(body)"
    }

    static func answer(_ status: String, _ fields: String = "", _ body: String = "no") -> String {
        "HTTP/1.1 \(status)\n\(date)\(fields.isEmpty ? "" : "\n" + fields)\n\n\(body)"
    }
}
