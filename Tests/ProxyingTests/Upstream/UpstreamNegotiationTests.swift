import Testing

@testable import Proxying

/// What is said to another proxy, however its answers are cut.
@Suite struct UpstreamNegotiationTests {
    private typealias Step = UpstreamNegotiation.Step

    private static let server = ServerAddress(host: "shop.test", port: 443, isTLS: true)
    private static let ada = UpstreamProxy.Credentials(user: "ada", password: "secret")

    private func proxy(
        _ kind: UpstreamProxy.Kind, _ credentials: UpstreamProxy.Credentials? = nil
    ) -> UpstreamProxy {
        UpstreamProxy(kind: kind, host: "p.test", port: 3128, credentials: credentials)
    }

    /// What follows from an answer, the first message included.
    private func play(
        _ proxy: UpstreamProxy, _ answer: [UInt8], authorization: String? = nil,
        server: ServerAddress = Self.server, at location: SourceLocation = #_sourceLocation
    ) -> [Step] {
        func result(cut: Int?) -> [Step] {
            var steps: [Step] = []
            var negotiation = UpstreamNegotiation(
                proxy, to: server, authorization: authorization, into: &steps)
            let parts = cut.map { [answer[..<$0], answer[$0...]] } ?? [answer[...]]
            var rest: [UInt8] = []
            for part in parts {
                // What comes behind the answer is the server's.
                if case .connected? = steps.last {
                    rest += part
                } else {
                    steps += negotiation.consume(Array(part))
                }
            }
            if case .connected(let first)? = steps.last {
                steps[steps.count - 1] = .connected(first + rest)
            }
            return steps
        }
        let whole = result(cut: nil)
        for cut in answer.indices {
            let parts = result(cut: cut)
            #expect(parts == whole, "cut at \(cut)", sourceLocation: location)
        }
        return whole
    }

    private func why(_ steps: [Step]) -> String {
        if case .failed(let why)? = steps.last { why } else { "\(steps)" }
    }

    @Test func `CONNECT opens a tunnel, whose first bytes are not lost`() {
        let steps = play(proxy(.http), Array("HTTP/1.1 200 OK\r\nVia: x\r\n\r\nSSH".utf8))
        #expect(
            steps == [
                .send(Array("CONNECT shop.test:443 HTTP/1.1\r\nHost: shop.test:443\r\n\r\n".utf8)),
                .connected(Array("SSH".utf8)),
            ])
    }

    @Test func `an interim answer is none`() {
        let steps = play(
            proxy(.https), Array("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 200 OK\r\n\r\n".utf8))
        #expect(steps.last == .connected([]))
    }

    @Test func `a refusal has its status and the proxy`() {
        let steps = play(
            proxy(.http), Array("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno".utf8))
        #expect(
            why(steps)
                == "the upstream proxy http://p.test:3128: it answered CONNECT shop.test:443 with 403"
        )
    }

    @Test func `a challenge is taken up by who has credentials, and once`() {
        let answer = Array("HTTP/1.1 407 Auth\r\nProxy-Authenticate: Basic realm=x\r\n\r\n".utf8)
        #expect(why(play(proxy(.http), answer)).contains("it wants a user and a password"))
        let known = proxy(.http, Self.ada)
        guard case .challenged(let challenge)? = play(known, answer).last else {
            Issue.record("no challenge")
            return
        }
        #expect(challenge.scheme == .basic)
        let again = play(known, answer, authorization: ProxyChallenge.basic(Self.ada))
        #expect(why(again).hasSuffix("it does not accept the user and the password"))
        guard case .send(let bytes)? = again.first else {
            Issue.record("nothing sent")
            return
        }
        #expect(
            String(decoding: bytes, as: UTF8.self).contains(
                "\r\nProxy-Authorization: Basic YWRhOnNlY3JldA==\r\n\r\n"))
        let other = Array("HTTP/1.1 407 Auth\r\nProxy-Authenticate: NTLM\r\n\r\n".utf8)
        #expect(why(play(known, other)).contains("(NTLM) none is supported"))
    }

    @Test(arguments: ["SSH-2.0-x\r\n", "\u{5}\0", "HTTP/1.1 2OO OK\r\n\r\n"])
    func `what is no answer is a failure`(text: String) {
        #expect(why(play(proxy(.http), Array(text.utf8))).contains("upstream proxy"))
    }

    @Test func `a proxy that hangs up has not connected anybody`() {
        var steps: [Step] = []
        var negotiation = UpstreamNegotiation(
            proxy(.http), to: Self.server, authorization: nil, into: &steps)
        let ends = negotiation.ended()
        #expect(why(ends).contains("closed the connection"))
        #expect(negotiation.ended().isEmpty)
    }

    @Test func `SOCKS 5 is asked by name, and by address where there is one`() {
        let name = Array("shop.test".utf8)
        let granted: [UInt8] = [5, 0] + [5, 0, 0, 1, 1, 2, 3, 4, 0, 80] + [9]
        #expect(
            play(proxy(.socks5), granted) == [
                .send([5, 1, 0]), .send([5, 1, 0, 3, 9] + name + [1, 187]), .connected([9]),
            ])
        let address = ServerAddress(host: "10.0.0.1", port: 80, isTLS: false)
        let named: [UInt8] = [5, 0] + [5, 0, 0, 3, 1, 65, 0, 80]
        #expect(
            play(proxy(.socks5), named, server: address) == [
                .send([5, 1, 0]), .send([5, 1, 0, 1, 10, 0, 0, 1, 0, 80]), .connected([]),
            ])
    }

    @Test func `SOCKS 5 gets user and password where it wants them`() {
        let steps = play(
            proxy(.socks5, Self.ada), [5, 2, 1, 0] + [5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
        #expect(steps.first == .send([5, 2, 0, 2]))
        #expect(steps[1] == .send([1, 3] + Array("ada".utf8) + [6] + Array("secret".utf8)))
        #expect(steps.last == .connected([]))
        #expect(
            why(play(proxy(.socks5, Self.ada), [5, 2, 1, 1])).contains("does not accept the user"))
        #expect(why(play(proxy(.socks5), [5, 0xFF])).contains("it wants a user and a password"))
    }

    @Test(arguments: [(UInt8(2), "rules forbid"), (5, "refused"), (99, "code 99")])
    func `SOCKS 5 says why not`(code: UInt8, words: String) {
        let steps = play(proxy(.socks5), [5, 0] + [5, code, 0, 1, 0, 0, 0, 0, 0, 0])
        #expect(why(steps).contains("shop.test:443: ") && why(steps).contains(words))
    }
}
