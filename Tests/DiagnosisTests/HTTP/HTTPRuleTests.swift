import Testing
import Wire

@testable import Diagnosis

@Suite struct HTTPRuleTests {
    @Test(arguments: HTTPCases.all) func `a rule of HTTP says what it should`(_ one: RuleCase) {
        one.check(among: HTTPCases.all)
    }

    @Test func `every rule of HTTP has a case of each kind`() {
        #expect(RuleCase.missing(HTTPRules.all, HTTPCases.all).isEmpty)
    }

    @Test func `every note of a decoder that blames a peer is a rule`() {
        let ours = Set(HTTPRules.noted.map(\.id))
        #expect(ours.count == HTTPRules.noted.count)
        #expect(HTTPRules.rule(for: "http.two-lengths", of: .client) == HTTPRules.twoLengths)
        #expect(HTTPRules.rule(for: "http.no-host", of: .server) == nil)
    }

    @Test func `requests of curl, requests and a browser have no findings`() {
        var script = SessionScript()
        let id = script.connection(at: 0)
        let heads = [
            "User-Agent: curl/8.5.0\nAccept: */*",
            "User-Agent: python-requests/2.32.3\nAccept-Encoding: gzip, deflate, br, zstd\nAccept: */*\nConnection: keep-alive",
            "User-Agent: Mozilla/5.0\nAccept: text/html\nAccept-Encoding: gzip, deflate, br\nConnection: keep-alive\nUpgrade-Insecure-Requests: 1",
        ]
        for (index, head) in heads.enumerated() {
            let at = Double(index) * 2 + 1
            script.exchange(id, Plain.get(head), Plain.ok, at: at)
            script.exchange(
                id, Plain.post(head + "\nContent-Type: application/json", "{}"), Plain.ok,
                at: at + 1)
        }
        script.exchange(
            id, Plain.get("Cookie: a=1"),
            Plain.answer(
                "304 Not Modified",
                "Server: nginx/1.24.0\nConnection: keep-alive\nETag: \"1\"\nTransfer-Encoding: identity",
                ""), at: 20)
        script.close(id, at: 21)
        #expect(script.findings().filter { $0.rule.blames == .client }.map(\.detail) == [])
    }

    @Test func `the words name the request and the cookie`() throws {
        var script = SessionScript()
        HTTPCases.losesCookie(&script)
        let finding = try #require(
            script.findings().first { $0.rule == HTTPRules.cookieLost })
        #expect(
            finding.detail
                == "GET /things/2 lacks the cookie sid, which the client sent before on this connection and which is for /."
        )
        #expect(finding.steps.count == 2)
        #expect(finding.steps.first?.quote == "Set-Cookie: sid=…")
    }

    @Test(arguments: 0..<20) func `hostile bytes end in no crash`(_ seed: UInt64) {
        var random = Dice(seed: seed)
        var script = SessionScript()
        for number in 0..<20 {
            let id = script.connection(at: Double(number))
            for step in 0..<10 {
                let peer: Peer = random.next() % 2 == 0 ? .client : .server
                let at = Double(number) + Double(step) * 0.05
                if random.next() % 2 == 0 {
                    let count = Int(random.next() % 200)
                    script.bytes(
                        id, peer, (0...count).map { _ in UInt8(truncatingIfNeeded: random.next()) },
                        at: at)
                } else {
                    let texts = [
                        Plain.get, Plain.post, Plain.ok, Plain.answer("401 Unauthorized"),
                        Plain.get("Cookie: =;;,"),
                        Plain.answer(
                            "200 OK",
                            "Set-Cookie: ;=; Path=\nSet-Cookie: a=b; Max-Age=99999999999999999999"),
                    ]
                    let text = texts[Int(random.next() % UInt64(texts.count))]
                    script.bytes(id, peer, SessionScript.message(text), at: at)
                }
            }
        }
        #expect(script.findings().count < 1_000)
    }
}

/// A generator that is the same everywhere.
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
