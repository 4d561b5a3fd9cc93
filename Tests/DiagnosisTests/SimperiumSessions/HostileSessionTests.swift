import Testing
import Wire

@testable import Diagnosis

/// What nobody would say: nothing crashes, and memory stays within bounds.
@Suite struct HostileSessionTests {
    private static let words = [
        "0:init:{\"name\":\"note\",\"clientid\":\"c\",\"api\":\"1.1\",\"token\":\"t\",\"app_id\":\"app\",\"library\":\"l\",\"version\":\"1\"}",
        "0:init:{\"cmd\":\"cv:x\"}", "0:init:{\"cmd\":\"i:1:m::0\"}", "0:auth:u", "0:auth:expired",
        "0:auth:{\"code\":401}", "0:i::::10", "0:i:1:m::10", "0:i:?", "0:i:{}",
        "0:i:{\"current\":\"a\",\"index\":[{\"id\":\"k.l\",\"v\":1}],\"mark\":\"m\"}",
        "0:i:{\"current\":\"a\",\"index\":[{\"id\":\"k\",\"v\":9223372036854775807,\"d\":{}}]}",
        "0:e:k.1", "0:e:k.9223372036854775807", "0:e:k.1\n?", "0:e:k.1\n{\"data\":{}}",
        "0:e:k.1\n{\"data\":{\"a\":1}}", "0:cv:a", "0:cv:", "0:cv:?", "0:c:?", "0:c:[]",
        "0:c:[{\"id\":\"k\",\"o\":\"M\",\"sv\":9223372036854775807,\"ev\":-9223372036854775808,\"cv\":\"a\",\"ccids\":[\"a\"],\"v\":{}}]",
        "0:c:[{\"id\":\"k\",\"o\":\"M\",\"sv\":1,\"ev\":2,\"cv\":\"a\",\"ccids\":[\"a\"],\"v\":{\"a\":{\"o\":\"+\",\"v\":1}}}]",
        "0:c:[{\"id\":\"k\",\"o\":\"-\",\"ev\":2,\"cv\":\"a\",\"ccids\":[\"a\"]}]",
        "0:c:{\"id\":\"k\",\"o\":\"M\",\"sv\":1,\"ccid\":\"a\",\"v\":{}}",
        "0:c:[{\"id\":\"k\",\"error\":409,\"ccids\":[\"a\"]}]", "0:index", "0:index:{}", "log:1",
        "log:0", "log:{}", "h:0", "h:9223372036854775807", "h:1", "?", "0:?", "7:c:[]", "0:o:{}",
    ]

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `random commands in random order end well`(seed: UInt64) {
        var numbers = Numbers(state: seed)
        var script = SessionScript()
        var sockets = [script.socket(at: 0), script.socket(at: 0, client: "127.0.0.1:5001")]
        for number in 1...400 {
            let at = Double(number) * Double(numbers.next(90)) / 10 / 4
            let socket = sockets[numbers.next(sockets.count)]
            var text = Self.words[numbers.next(Self.words.count)]
            if numbers.next(10) == 0 { text = String(text.prefix(numbers.next(text.count + 1))) }
            switch numbers.next(12) {
            case 0: script.lose(socket, numbers.next(2) == 0 ? .client : .server, text, at: at)
            case 1 where !text.isEmpty: script.inject(socket, .server, text, at: at)
            case 2 where numbers.next(20) == 0: script.gap(socket, at: at)
            case 3 where numbers.next(20) == 0: script.close(socket, at: at)
            case 4 where numbers.next(4) == 0:
                sockets.append(script.socket(at: at, client: "127.0.0.1:\(5002 + number)"))
            case 5...8: script.client(socket, text, at: at)
            default: script.server(socket, text, at: at)
            }
        }
        let findings = script.findings()
        #expect(findings.count < 2_000)
        for finding in findings { #expect(!finding.detail.isEmpty && !finding.steps.isEmpty) }
        #expect(script.findings().map(\.rule.id) == findings.map(\.rule.id))
    }

    @Test func `random bytes end well`() {
        var numbers = Numbers(state: 7)
        var script = SessionScript()
        let socket = script.synced()
        for number in 0..<300 {
            let bytes = (0..<numbers.next(60)).map { _ in UInt8(numbers.next(256)) }
            script.frame(
                socket, number % 2 == 0 ? .client : .server, Array("0:".utf8) + bytes,
                at: 1 + Double(number) / 100)
        }
        #expect(script.findings().count < 1_000)
    }

    /// Numbers that look random and are the same each time.
    private struct Numbers {
        var state: UInt64

        mutating func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % max(1, bound)
        }
    }
}
