import Testing
import Wire

@testable import Diagnosis

@Suite struct WebSocketRuleTests {
    @Test(arguments: WebSocketCases.all)
    func `a rule of WebSocket says what it should`(_ one: RuleCase) {
        one.check(among: WebSocketCases.all)
    }

    @Test func `every rule of WebSocket has a case of each kind`() {
        #expect(RuleCase.missing(WebSocketRules.all, WebSocketCases.all).isEmpty)
    }

    @Test func `a session with pings, fragments and a good end has no findings`() {
        var script = SessionScript()
        let id = WebSocketCases.socket(&script)
        for step in 0..<20 {
            let at = 2 + Double(step) * 10
            script.bytes(id, .client, WebSocketCases.frame(0x81, [0x68, 0x69], .client), at: at)
            script.bytes(id, .server, WebSocketCases.frame(0x01, [0xC3], .server), at: at + 0.1)
            script.bytes(id, .server, WebSocketCases.frame(0x89, [7], .server), at: at + 0.2)
            script.bytes(id, .client, WebSocketCases.frame(0x8A, [7], .client), at: at + 0.3)
            script.bytes(id, .server, WebSocketCases.frame(0x80, [0xA8], .server), at: at + 0.4)
        }
        script.bytes(id, .client, WebSocketCases.frame(0x88, [3, 0xE9], .client), at: 300)
        script.bytes(id, .server, WebSocketCases.frame(0x88, [3, 0xE9], .server), at: 300.1)
        script.close(id, at: 300.2, by: .server)
        #expect(script.findings().map(\.detail) == [])
    }

    @Test func `the words name the peer and the close`() throws {
        var script = SessionScript()
        let id = WebSocketCases.socket(&script)
        script.bytes(id, .server, WebSocketCases.frame(0x88, [3, 0xE9], .server), at: 5)
        let finding = try #require(script.findings().first)
        #expect(finding.rule == WebSocketRules.closeUnanswered)
        #expect(
            finding.detail == "The client has not answered the Close 1001 of the server for 20 s.")
        #expect(finding.at == Instant(nanoseconds: 25_000_000_000))
    }

    @Test(arguments: 0..<20) func `hostile frames end in no crash`(_ seed: UInt64) {
        var random = Dice(seed: seed)
        var script = SessionScript()
        for number in 0..<10 {
            let id = WebSocketCases.socket(&script)
            for step in 0..<30 {
                let peer: Peer = random.next() % 2 == 0 ? .client : .server
                let payload = (0..<Int(random.next() % 20)).map { _ in
                    UInt8(truncatingIfNeeded: random.next())
                }
                let bytes = WebSocketCases.frame(
                    UInt8(truncatingIfNeeded: random.next()), payload, peer,
                    masked: random.next() % 4 == 0)
                script.bytes(id, peer, bytes, at: 2 + Double(number) + Double(step) * 0.03)
            }
        }
        #expect(script.findings().count < 1_000)
    }
}
