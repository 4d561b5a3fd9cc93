import Faults
import Testing
import Wire

@testable import Proxying

private let hello: [UInt8] = [5, 1, 0]
private let request: [UInt8] = [5, 1, 0, 3, 9] + Array("shop.test".utf8) + [0, 80]
private let granted = "\u{5}\0\0\u{1}\0\0\0\0\0\0"
private let get = "GET / HTTP/1.1\r\nHost: shop.test\r\n\r\n"
private let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

/// Clients of SOCKS, whose conversation is recorded as that of a tunnel.
@Suite struct RelaySocksTests {
    @Test func `connects first and answers then, and records what follows alone`() {
        var play = Playbook()
        play.client(bytes: hello, .send(1, "\u{5}\0"))
        play.client(bytes: request, .connect(2, "shop.test:80"), .pause)
        play.on(.ready(LegID(2)), .send(1, granted), .resume)
        play.client(get, .send(2, get))
        play.server(2, answer, .send(1, answer))
        #expect(play.chunks == ["client: \(get)", "server: \(answer)"])
        #expect(play.events == [.socks])
        #expect(play.details == ["SOCKS 5 to shop.test:80"])
    }

    @Test func `what a client sends at once waits for its server`() {
        var play = Playbook()
        play.client(
            bytes: hello + request + Array(get.utf8), .send(1, "\u{5}\0"),
            .connect(2, "shop.test:80"), .pause)
        play.on(.ready(LegID(2)), .send(1, granted), .send(2, get), .resume)
        #expect(play.chunks == ["client: \(get)"])
    }

    @Test func `the same is sent and recorded however it is cut`() {
        let bytes = hello + request + Array((get + get).utf8)
        for cuts in bytes.indices.map({ [$0] }) + [Array(bytes.indices)] {
            var play = Playbook()
            var sent = ["", "", ""]
            func note(_ steps: [Playbook.Step]) -> Bool {
                for case .send(let leg, let text) in steps { sent[leg] += text }
                return steps.contains(.connect(2, "shop.test:80"))
            }
            var start = 0
            for end in cuts + [bytes.count] where end > start {
                let steps = play.steps(after: .received(Playbook.client, Array(bytes[start..<end])))
                if note(steps) { _ = note(play.steps(after: .ready(LegID(2)))) }
                start = end
            }
            #expect(sent == ["", "\u{5}\0" + granted, get + get], "cut at \(cuts)")
            #expect(play.chunks.map { $0.replacing("client: ", with: "") }.joined() == get + get)
        }
    }

    @Test func `TLS in it is intercepted`() {
        var play = Playbook()
        play.client(
            bytes: hello + request, .send(1, "\u{5}\0"), .connect(2, "shop.test:80"), .pause)
        play.on(.ready(LegID(2)), .send(1, granted), .resume)
        let steps = play.steps(after: .received(Playbook.client, helloRecord(name: "shop.test")))
        #expect(steps == [.secureClient("shop.test"), .secureServer(2, "shop.test")])
    }

    @Test func `that a server cannot be reached is answered by SOCKS`() {
        var play = Playbook()
        play.client(
            bytes: hello + request, .send(1, "\u{5}\0"), .connect(2, "shop.test:80"), .pause)
        play.on(
            .refused(LegID(2), "Connection refused", .refused),
            .send(1, "\u{5}\u{5}\0\u{1}\0\0\0\0\0\0"), .close(1), .resume)
        #expect(play.events == [.socks, .refused, .warning])
        #expect(play.details.last?.contains("shop.test:80: Connection refused") == true)
    }

    @Test func `hosts that are not recorded leave nothing`() {
        var play = Playbook(only: ["other.test"])
        play.client(
            bytes: hello + request, .send(1, "\u{5}\0"), .connect(2, "shop.test:80"), .pause)
        play.on(.ready(LegID(2)), .send(1, granted), .resume)
        play.client(get, .send(2, get))
        play.server(2, answer, .send(1, answer))
        #expect(play.records.isEmpty)
    }

    @Test func `UDP is refused, with the reason in the trace`() {
        var play = Playbook()
        var udp = request
        udp[1] = 3
        play.client(
            bytes: hello + udp, .send(1, "\u{5}\0"),
            .send(1, "\u{5}\u{7}\0\u{1}\0\0\0\0\0\0"), .close(1))
        #expect(play.events == [.warning] && play.details[0].contains("UDP"))
    }

    @Test func `a client that leaves in the middle is in the trace`() {
        var play = Playbook()
        play.client(bytes: hello + [5, 1], .send(1, "\u{5}\0"))
        play.on(.closed(Playbook.client, isReset: false, "closed"))
        #expect(play.events == [.undelivered, .closed])
    }

    @Test func `a negotiation that does not end is not waited for`() {
        var play = Playbook()
        play.client(bytes: hello, .send(1, "\u{5}\0"))
        play.on(.overdue, .close(1))
    }

    @Test func `a listener of one kind takes no other`() {
        var http = Playbook { $0.ways = .http }
        let steps = http.steps(after: .received(Playbook.client, hello))
        guard case .send(1, let text)? = steps.first else {
            Issue.record("\(steps)")
            return
        }
        #expect(text.hasPrefix("HTTP/1.1 400 ") && text.contains("this is an HTTP proxy"))
        var socks = Playbook { $0.ways = .socks }
        let refused = socks.steps(after: .received(Playbook.client, Array(get.utf8)))
        guard case .send(1, let why)? = refused.first else {
            Issue.record("\(refused)")
            return
        }
        #expect(why.hasPrefix("HTTP/1.1 400 ") && why.contains("SOCKS proxy"))
    }

    @Test func `the proxy's own pages are there, too`() {
        let name = Array("tapedeck.test".utf8)
        let own: [UInt8] = [5, 1, 0, 3, UInt8(name.count)] + name + [0, 80]
        var play = Playbook {
            $0.ways = .socks
            $0.ownPages = ["/": OwnPage(type: "text/html", content: Array("<p>".utf8))]
        }
        play.client(bytes: hello + own, .send(1, "\u{5}\0"), .send(1, granted))
        let steps = play.steps(
            after: .received(Playbook.client, Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8)))
        guard case .send(1, let text)? = steps.first else {
            Issue.record("\(steps)")
            return
        }
        #expect(text.hasPrefix("HTTP/1.1 200 ") && text.hasSuffix("<p>"))
    }

    @Test func `a rule about connections refuses one of SOCKS`() throws {
        var play = Playbook(rules: try FaultSession("host:shop.test => refuse"))
        play.client(
            bytes: hello + request, .send(1, "\u{5}\0"), .pause,
            .send(1, "\u{5}\u{5}\0\u{1}\0\0\0\0\0\0"), .close(1), .resume)
        #expect(play.faults == ["refuse"])
    }

    @Test func `a rule is about requests in it`() throws {
        var play = Playbook(rules: try FaultSession("path:/ => 503"))
        play.client(
            bytes: hello + request, .send(1, "\u{5}\0"), .connect(2, "shop.test:80"), .pause)
        play.on(.ready(LegID(2)), .send(1, granted), .resume)
        let steps = play.steps(after: .received(Playbook.client, Array(get.utf8)))
        guard case .send(1, let text)? = steps.first else {
            Issue.record("\(steps)")
            return
        }
        #expect(text.hasPrefix("HTTP/1.1 503 "))
    }
}

/// Offers of other protocols in what servers answer.
@Suite struct RelayAlternativesTests {
    private static let offer =
        "HTTP/1.1 200 OK\r\nAlt-Svc: h3=\":443\"; ma=86400\r\nContent-Length: 2\r\n\r\nok"

    private func play(_ strips: Bool) -> Playbook {
        var play = Playbook { $0.stripsAltSvc = strips }
        play.client(
            bytes: hello + request, .send(1, "\u{5}\0"), .connect(2, "shop.test:80"), .pause)
        play.on(.ready(LegID(2)), .send(1, granted), .resume)
        play.client(get, .send(2, get))
        return play
    }

    @Test func `an offer of HTTP/3 is named once, and left in`() {
        var play = play(false)
        play.server(2, Self.offer, .send(1, Self.offer))
        play.client(get, .send(2, get))
        play.server(2, Self.offer, .send(1, Self.offer))
        #expect(play.patches.isEmpty)
        #expect(play.events == [.socks, .warning])
        #expect(play.details.last?.contains("--strip-alt-svc") == true)
    }

    @Test func `it is taken out where that is asked for, also when it comes in parts`() {
        for cut in [0, 20, 40] {
            var play = play(true)
            let bytes = Array(Self.offer.utf8)
            var sent = ""
            for part in [bytes[..<cut], bytes[cut...]] where !part.isEmpty {
                for case .send(1, let text) in play.steps(after: .received(LegID(2), Array(part))) {
                    sent += text
                }
            }
            #expect(sent == answer)
            #expect(Set(play.patches.map(\.reason)) == [.altSvc])
            #expect(play.events == [.socks])
        }
    }

    @Test func `a client of HTTP/2 alone is named`() {
        var play = play(false)
        play.server(2, answer, .send(1, answer))
        _ = play.steps(
            after: .received(Playbook.client, Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)))
        #expect(play.details.contains { $0.contains("HTTP/2 alone") })
    }
}
