import Faults
import Foundation
import Testing
import Wire

@testable import Proxying

private let origin = ServerAddress(host: "origin.example", port: 80, isTLS: false)
private let hello = "GET /a HTTP/1.1\r\nHost: origin.example\r\n\r\n"
private let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
private let established = "HTTP/1.1 200 Connection established\r\n\r\n"

/// Peers that send what nobody expects: everything ends, and every byte arrives or is accounted for.
@Suite(.timeLimit(.minutes(10))) struct RelayHostilityTests {
    // MARK: Tunnels that others open

    @Test func `carries a tunnel that a proxy behind it opens`() {
        var play = Playbook(.reverse(origin), keepsHost: true)
        let connect = "CONNECT a:25 HTTP/1.1\r\nHost: a\r\n\r\n"
        play.client(connect, .connect(2, "origin.example:80"))
        play.on(.ready(LegID(2)), .send(2, connect))
        play.server(2, established, .send(1, established))
        play.server(2, "220 ready\r\n", .send(1, "220 ready\r\n"))
        play.client("EHLO x\r\n", .send(2, "EHLO x\r\n"))
        #expect(play.patches.isEmpty)
    }

    @Test func `lets what follows CONNECT wait for its answer and then go on`() {
        var play = Playbook(.reverse(origin), keepsHost: true)
        let connect = "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n"
        play.client(connect + "\u{01}", .connect(2, "origin.example:80"), .pause)
        play.on(.ready(LegID(2)), .send(2, connect))
        play.server(2, established, .send(1, established), .send(2, "\u{01}"), .resume)
        play.client("\u{02}", .send(2, "\u{02}"))
        #expect(play.chunks.count == 4)
    }

    @Test func `goes on with HTTP when a server refuses CONNECT`() {
        var play = Playbook(.reverse(origin), keepsHost: true)
        let connect = "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n"
        let refusal = "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n"
        play.client(connect + hello, .connect(2, "origin.example:80"), .pause)
        play.on(.ready(LegID(2)), .send(2, connect))
        play.server(2, refusal, .send(1, refusal), .send(2, hello), .resume)
        play.server(2, answer, .send(1, answer))
    }

    @Test func `reads HTTP in a tunnel in a tunnel`() {
        var play = Playbook()
        let outer = "CONNECT p:80 HTTP/1.1\r\nHost: p\r\n\r\n"
        let inner = "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n"
        play.client(outer + inner + hello, .connect(2, "p:80"), .pause)
        play.on(.ready(LegID(2)), .send(1, established), .send(2, inner))
        play.server(2, established, .send(1, established), .send(2, hello), .resume)
        play.server(2, answer, .send(1, answer))
        play.client(hello, .send(2, hello))
        #expect(
            play.chunks == [
                "client: \(outer)", "tapedeck: \(established)", "client: \(inner)",
                "server: \(established)", "client: \(hello)", "server: \(answer)",
                "client: \(hello)",
            ])
    }

    @Test func `answers TLS in a tunnel that another proxy opened`() {
        var play = Playbook(.reverse(origin), keepsHost: true)
        let connect = "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n"
        play.client(connect, .connect(2, "origin.example:80"))
        play.on(.ready(LegID(2)), .send(2, connect))
        play.server(2, established, .send(1, established))
        play.on(
            .received(Playbook.client, helloRecord(name: "a")), .secureClient("a"),
            .secureServer(2, "a"))
        play.on(.clientSecured)
        play.on(.ready(LegID(2)))
        play.client(hello, .send(2, hello))
        play.server(2, answer, .send(1, answer))
    }

    @Test func `passes the body of a request for another protocol before its answer`() {
        var play = Playbook(.reverse(origin))
        let head =
            "POST / HTTP/1.1\r\nHost: origin.example\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\n"
        play.client(head, .connect(2, "origin.example:80"))
        play.on(.ready(LegID(2)), .send(2, head))
        play.client("hi", .send(2, "hi"))
        play.server(2, answer, .send(1, answer))
        play.client(hello, .send(2, hello))
    }

    @Test func `an idle server that closes does not end a tunnel to another`() {
        var play = Playbook()
        play.client(
            "GET http://one.example/ HTTP/1.1\r\nHost: one.example\r\n\r\n",
            .connect(2, "one.example:80"))
        play.on(.ready(LegID(2)), .send(2, "GET / HTTP/1.1\r\nHost: one.example\r\n\r\n"))
        play.server(2, answer, .send(1, answer))
        play.client(
            "CONNECT a:25 HTTP/1.1\r\nHost: a\r\n\r\n", .close(2), .connect(3, "a:25"), .pause)
        play.on(.ready(LegID(3)), .send(1, established), .resume)
        play.on(.closed(LegID(2), isReset: false, "closed"))
        play.client("EHLO x\r\n", .send(3, "EHLO x\r\n"))
    }

    // MARK: Requests that nobody answers

    @Test func `leaves requests with the client while too many are not answered`() {
        var play = Playbook(.reverse(origin))
        let limit = Relay.maximumOutstanding
        func requests(after event: RelayEvent) -> Int {
            play.steps(after: event).reduce(0) { count, step in
                guard case .send(2, let text) = step else { return count }
                return count + text.components(separatedBy: "GET").count - 1
            }
        }
        func answers(_ count: Int) -> RelayEvent {
            .received(LegID(2), Array(String(repeating: answer, count: count).utf8))
        }
        let all = Array(String(repeating: hello, count: 3 * limit).utf8)
        #expect(requests(after: .received(Playbook.client, all)) == 0)
        #expect(requests(after: .ready(LegID(2))) == limit)
        #expect(requests(after: .received(Playbook.client, Array(hello.utf8))) == 0)
        #expect(requests(after: answers(1)) == 1)
        #expect(requests(after: answers(limit)) == limit)
        #expect(requests(after: answers(limit)) == limit)
        #expect(requests(after: answers(limit)) == 0)
    }

    @Test func `passes the body of the last request that is let through`() {
        var play = Playbook(.reverse(origin))
        let post = "POST /a HTTP/1.1\r\nHost: origin.example\r\nContent-Length: 4\r\n\r\n"
        let some = String(repeating: hello, count: Relay.maximumOutstanding - 1) + post
        play.client(some, .connect(2, "origin.example:80"))
        play.on(.ready(LegID(2)), .send(2, some))
        play.client("body" + hello, .send(2, "body"), .pause)
        play.server(2, answer, .send(1, answer), .send(2, hello), .resume)
    }

    // MARK: Answers that nobody asked for

    @Test func `keeps a second answer of one server from the request to another`() {
        var play = Playbook()
        play.client(
            "GET http://one.example/ HTTP/1.1\r\nHost: one.example\r\n\r\n",
            .connect(2, "one.example:80"))
        play.on(.ready(LegID(2)), .send(2, "GET / HTTP/1.1\r\nHost: one.example\r\n\r\n"))
        play.client("GET http://two.example/ HTTP/1.1\r\nHost: two.example\r\n\r\n", .pause)
        play.server(
            2, answer + answer, .send(1, answer), .close(2), .connect(3, "two.example:80"),
            .resume)
        play.on(.closed(LegID(2), isReset: false, "closed"))
        play.on(.ready(LegID(3)), .send(3, "GET / HTTP/1.1\r\nHost: two.example\r\n\r\n"))
        play.server(3, answer, .send(1, answer))
        #expect(play.events.contains(.undelivered))
        #expect(
            play.patches.filter { $0.reason == .undelivered }.map(\.removed) == [answer.utf8.count])
    }

    @Test func `keeps what an idle server sends from the client of several`() {
        var play = Playbook()
        play.client(
            "GET http://one.example/ HTTP/1.1\r\nHost: one.example\r\n\r\n",
            .connect(2, "one.example:80"))
        play.on(.ready(LegID(2)), .send(2, "GET / HTTP/1.1\r\nHost: one.example\r\n\r\n"))
        play.server(2, answer, .send(1, answer))
        play.server(2, answer, .close(2))
        play.server(2, answer)
        #expect(play.events == [.undelivered])
    }

    @Test func `hands an unasked answer of the only server on`() {
        var play = Playbook(.reverse(origin))
        play.client(hello, .connect(2, "origin.example:80"))
        play.on(.ready(LegID(2)), .send(2, hello))
        play.server(2, answer + answer, .send(1, answer + answer))
        play.server(2, answer, .send(1, answer))
    }

    // MARK: Requests that can not be read

    @Test func `passes a first request on that turns out to be no HTTP`() {
        var play = Playbook(.reverse(origin))
        play.client("PI")
        play.client("NG\r\n", .connect(2, "origin.example:80"))
        play.on(.ready(LegID(2)), .send(2, "PING\r\n"))
        play.server(2, "+PONG\r\n", .send(1, "+PONG\r\n"))
        #expect(play.chunks == ["client: PI", "client: NG\r\n", "server: +PONG\r\n"])
    }

    @Test func `refuses in a forward proxy what turns out to be no HTTP, and keeps it all`() {
        var play = Playbook()
        play.client("PI")
        let steps = play.steps(after: .received(Playbook.client, Array("NG\r\n".utf8)))
        #expect(steps.last == .end(1))
        #expect(play.chunks.prefix(2) == ["client: PI", "client: NG\r\n"])
    }

    @Test func `passes a head on that is too long`() {
        var play = Playbook(.reverse(origin))
        var sent = "GET / HTTP/1.1\r\n"
        play.client(sent)
        var got = ""
        for _ in 0..<40 {
            let field = "X: " + String(repeating: "y", count: 10_000) + "\r\n"
            sent += field
            for step in play.steps(after: .received(Playbook.client, Array(field.utf8))) {
                if case .send(_, let bytes) = step { got += bytes }
            }
        }
        for step in play.steps(after: .ready(LegID(2))) {
            if case .send(_, let bytes) = step { got += bytes }
        }
        #expect(got == sent)
    }

    @Test func `passes the start of a head on when the client ends`() {
        var play = Playbook(.reverse(origin))
        play.client("GET / HTTP/1.1\r\nHo")
        play.on(.ended(Playbook.client), .connect(2, "origin.example:80"))
        play.on(.ready(LegID(2)), .send(2, "GET / HTTP/1.1\r\nHo"), .end(2))
    }

    @Test func `passes the start of a head on when it has waited too long`() {
        var play = Playbook(.reverse(origin))
        play.client("GET / HTTP/1.1\r\nHo")
        play.on(.overdue, .connect(2, "origin.example:80"))
        play.client("st: x\r\n")
        play.on(.ready(LegID(2)), .send(2, "GET / HTTP/1.1\r\nHost: x\r\n"))
        play.server(2, answer, .send(1, answer))
    }

    @Test(arguments: ["GET /old\r\n", "GET /old\n"])
    func `passes a request line without a version on at once`(line: String) {
        var play = Playbook(.reverse(origin))
        play.client(String(line.prefix(6)))
        play.client(String(line.dropFirst(6)), .connect(2, "origin.example:80"))
        play.on(.ready(LegID(2)), .send(2, line))
        play.server(2, "<html>", .send(1, "<html>"))
        var forward = Playbook()
        let steps = forward.steps(after: .received(Playbook.client, Array(line.utf8)))
        #expect("\(steps)".contains("names no version of HTTP"))
    }

    @Test func `passes a head in pieces where nothing is rewritten`() {
        var play = Playbook(.reverse(origin), keepsHost: true)
        play.client("GET / HT", .connect(2, "origin.example:80"))
        play.on(.ready(LegID(2)), .send(2, "GET / HT"))
        play.client("TP/1.1\r\n", .send(2, "TP/1.1\r\n"))
        play.client("\r\n", .send(2, "\r\n"))
        play.server(2, answer, .send(1, answer))
    }

    @Test func `refuses a request in the order of those before it, and records each once`() {
        var play = Playbook()
        let good = "GET http://one.example/ HTTP/1.1\r\nHost: one.example\r\n\r\n"
        let bad = "GET /x HTTP/1.1\r\nHost: one.example\r\n\r\n"
        play.client(good + bad + "more", .connect(2, "one.example:80"))
        play.on(.ready(LegID(2)), .send(2, "GET / HTTP/1.1\r\nHost: one.example\r\n\r\n"))
        let steps = play.steps(after: .received(LegID(2), Array(answer.utf8)))
        #expect(steps.first == .send(1, answer))
        #expect(steps.dropFirst(2).first == .end(1))
        #expect(
            play.chunks.filter { $0.hasPrefix("client") }
                == ["client: \(good)", "client: \(bad)", "client: more"])
    }

    // MARK: Rules that come later

    @Test func `a rule added later meets a WebSocket whose handshake came in two segments`()
        throws
    {
        let rules = try FaultSession()
        var play = Playbook(.reverse(origin), rules: rules)
        let upgrade =
            "GET /s HTTP/1.1\r\nHost: origin.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        play.client(String(upgrade.prefix(20)))
        play.client(String(upgrade.dropFirst(20)), .connect(2, "origin.example:80"))
        play.on(.ready(LegID(2)), .send(2, upgrade))
        let switched =
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
        play.server(2, switched, .send(1, switched))
        rules.replace(try FaultPlan().adding(line: "kind:message => drop"))
        // "hi" in an unmasked text frame.
        play.on(.received(LegID(2), [0x81, 2, 0x68, 0x69]))
        #expect(play.faults == ["drop"])
    }
}
