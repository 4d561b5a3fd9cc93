import Testing

@testable import Proxying

private let first = "POST http://a.test/x HTTP/1.1\r\nHost: a.test\r\nContent-Length: 4\r\n\r\nbody"
private let second = "GET http://a.test/y HTTP/1.1\r\nHost: a.test\r\n\r\n"
private let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

/// What a proxy answers that wants Digest.
private func refusal(_ more: String = "") -> String {
    "HTTP/1.1 407 Who\r\nProxy-Authenticate: Digest realm=\"r\", nonce=\"n\"\(more)\r\n"
        + "Content-Length: 2\r\n\r\nno"
}

/// Requests that are sent again where a proxy wants to know who asks.
@Suite struct ProxiedRequestsTests {
    private static func says(_ word: String) -> ProxiedRequests.Authorize {
        { method, target in "\(word) \(method) \(target)" }
    }

    /// A request with what it says.
    private static func with(_ word: String, _ text: String) -> String {
        let parts = text.split(separator: " ", maxSplits: 2)
        return text.replacing(
            "Host:", with: "Proxy-Authorization: \(word) \(parts[0]) \(parts[1])\r\nHost:")
    }

    private static func text(_ bytes: [UInt8]?) -> String? {
        bytes.map { String(decoding: $0, as: UTF8.self) }
    }

    private static func passed(_ steps: [ProxiedRequests.Step]) -> String {
        steps.map { step in
            if case .pass(let bytes) = step { String(decoding: bytes, as: UTF8.self) } else { "!" }
        }.joined()
    }

    @Test(arguments: [1, 2, 3, 7, 19, 1000])
    func `each head gets the field, and nothing else changes, however it is cut`(size: Int) {
        var requests = ProxiedRequests()
        var sent: [UInt8] = []
        let bytes = Array((first + second + first).utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            sent += requests.send(
                Array(bytes[start..<min(start + size, bytes.count)]), Self.says("Basic"))
        }
        #expect(
            Self.text(sent) == [first, second, first].map { Self.with("Basic", $0) }.joined())
        var passed = ""
        let answers = Array((ok + "HTTP/1.1 100 Continue\r\n\r\n" + ok + ok).utf8)
        for start in stride(from: 0, to: answers.count, by: size) {
            passed += Self.passed(
                requests.receive(Array(answers[start..<min(start + size, answers.count)])))
        }
        #expect(passed == ok + "HTTP/1.1 100 Continue\r\n\r\n" + ok + ok)
    }

    @Test(arguments: [1, 5, 1000])
    func `what is unanswered is sent again, and the refusal is not seen`(size: Int) throws {
        var requests = ProxiedRequests()
        _ = requests.send(Array((second + first).utf8), Self.says("Basic"))
        #expect(Self.passed(requests.receive(Array(ok.utf8))) == ok)
        _ = requests.send(Array(second.utf8), Self.says("Basic"))
        var steps: [ProxiedRequests.Step] = []
        let bytes = Array(refusal().utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            steps += requests.receive(Array(bytes[start..<min(start + size, bytes.count)]))
        }
        guard case .challenged(let challenge) = try #require(steps.first) else {
            Issue.record("\(steps)")
            return
        }
        #expect(steps.count == 1 && challenge.realm == "r")
        // What comes meanwhile goes along.
        #expect(requests.send(Array(second.utf8), Self.says("Digest")).isEmpty)
        #expect(
            Self.text(requests.again(Self.says("Digest")))
                == [first, second, second].map { Self.with("Digest", $0) }.joined())
        #expect(Self.passed(requests.receive(Array((ok + ok + ok).utf8))) == ok + ok + ok)
    }

    @Test func `the rest of a request follows on the new connection`() {
        var requests = ProxiedRequests()
        _ = requests.send(Array(first.dropLast(2).utf8), Self.says("Basic"))
        _ = requests.receive(Array(refusal().utf8))
        #expect(
            Self.text(requests.again(Self.says("Digest")))
                == String(Self.with("Digest", first).dropLast(2)))
        #expect(Self.text(requests.send(Array("dy".utf8), Self.says("Digest"))) == "dy")
        #expect(Self.passed(requests.receive(Array(ok.utf8))) == ok)
    }

    private func failure(_ steps: [ProxiedRequests.Step]) -> String {
        switch steps.last {
        case .failed(let why), .missed(_, let why): why
        default: "\(steps)"
        }
    }

    @Test func `a wrong password is one, however the proxy asks`() {
        for scheme in ["Basic", "Digest"] {
            var requests = ProxiedRequests()
            _ = requests.send(Array(second.utf8), Self.says("Basic"))
            var steps: [ProxiedRequests.Step]
            if scheme == "Digest" {
                _ = requests.receive(Array(refusal().utf8))
                _ = requests.again(Self.says("Digest"))
                steps = requests.receive(Array(refusal().utf8))
            } else {
                let wants = refusal().replacing("Digest realm=\"r\", nonce=\"n\"", with: "Basic")
                steps = requests.receive(Array(wants.utf8))
            }
            #expect(failure(steps) == "it does not accept the user and the password")
        }
    }

    @Test func `a nonce that is too old is no wrong password, and not for ever`() {
        var requests = ProxiedRequests()
        _ = requests.send(Array(second.utf8), Self.says("Digest"))
        var count = 0
        while case .challenged? = requests.receive(Array(refusal(", stale=true").utf8)).last {
            count += 1
            _ = requests.again(Self.says("Digest"))
        }
        #expect(count == 3)
    }

    @Test func `what is too long is not sent again, and says so`() {
        var requests = ProxiedRequests()
        let long = first.replacing("Content-Length: 4", with: "Content-Length: 70000")
        _ = requests.send(
            Array(long.utf8) + [UInt8](repeating: 65, count: 66_000), Self.says("Basic"))
        let why = failure(requests.receive(Array(refusal().utf8)))
        #expect(why.contains("64 KiB"))
        var short = ProxiedRequests()
        _ = short.send(Array(second.utf8), Self.says("Basic"))
        #expect(
            failure(
                short.receive(Array("HTTP/1.1 407 Who\r\nProxy-Authenticate: NTLM\r\n\r\n".utf8))
            )
            .contains("NTLM"))
    }

    @Test func `what is odd passes as it is`() {
        var requests = ProxiedRequests()
        #expect(
            Self.text(requests.send(Array("\u{1}\u{2}\r\n\r\nx".utf8), Self.says("Basic")))
                == "\u{1}\u{2}\r\n\r\nx")
        #expect(Self.passed(requests.receive(Array("odd\r\n\r\n".utf8))) == "odd\r\n\r\n")
        var partial = ProxiedRequests()
        #expect(partial.send(Array("GET http".utf8), Self.says("Basic")).isEmpty)
        #expect(Self.text(partial.finishSending()) == "GET http")
        #expect(partial.receive(Array("HTTP/1".utf8)).isEmpty)
        #expect(Self.text(partial.finishReceiving()) == "HTTP/1")
    }
}
