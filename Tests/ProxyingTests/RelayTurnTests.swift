import Faults
import Testing
import Wire

@testable import Proxying

private let origin = ServerAddress(host: "origin.example", port: 80, isTLS: false)
private let none = "HTTP/1.1 204 No Content\r\n\r\n"

private func get(_ host: String, _ path: String = "/") -> String {
    "GET http://\(host)\(path) HTTP/1.1\r\nHost: \(host)\r\n\r\n"
}

private func sent(_ host: String, _ path: String = "/") -> String {
    "GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\r\n"
}

/// Whose turn it is: what waits, for how long, and what comes next.
@Suite struct RelayTurnTests {
    @Test func `reads no more of the client when as much waits for the server as may`() {
        let most = RelaySettings(mode: .reverse(origin)).heldBytes
        let head = "POST / HTTP/1.1\r\nHost: origin.example\r\nContent-Length: 1000000\r\n\r\n"
        let content = String(repeating: "x", count: most - head.utf8.count)
        var play = Playbook(.reverse(origin))
        play.client(head + content, .connect(2, "origin.example:80"))
        play.client("y", .pause)
        play.on(.ready(LegID(2)), .send(2, head + content + "y"), .resume)
    }

    @Test func `goes on to the next server when an answer was taken away`() {
        var play = Playbook()
        play.client(get("a.example"), .connect(2, "a.example:80"))
        play.on(.ready(LegID(2)), .send(2, sent("a.example")))
        play.client(get("b.example"), .pause)
        play.on(.swallowed, .connect(3, "b.example:80"), .resume)
    }

    @Test func `goes on with HTTP when the server refuses CONNECT`() {
        var play = Playbook(.reverse(origin))
        let connect = "CONNECT x.example:443 HTTP/1.1\r\nHost: origin.example\r\n\r\n"
        play.client(connect, .connect(2, "origin.example:80"))
        play.on(.ready(LegID(2)), .send(2, connect))
        let refusal = "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno"
        play.server(2, refusal, .send(1, refusal))
        play.client(
            "GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n", .send(2, sent("origin.example")))
    }

    @Test func `rewrites each of several answers by itself, with one of ours between`() throws {
        var play = Playbook(.reverse(origin), rules: try FaultSession("path:/y => 503"))
        func request(_ path: String) -> String {
            "GET \(path) HTTP/1.1\r\nHost: localhost:8080\r\n\r\n"
        }
        play.client(request("/x"), .connect(2, "origin.example:80"))
        play.on(.ready(LegID(2)), .send(2, sent("origin.example", "/x")))
        play.client(request("/y"))
        play.client(request("/z"), .send(2, sent("origin.example", "/z")))
        let moved = "HTTP/1.1 302 Found\r\nLocation: http://AT/\r\nContent-Length: 0\r\n\r\n"
        let steps = play.steps(
            after: .received(
                LegID(2), Array((moved.replacing("AT", with: "origin.example") + none).utf8)))
        #expect(steps.first == .send(1, moved.replacing("AT", with: "localhost:8080")))
        #expect(steps.last == .send(1, none))
        #expect(steps.count == 3)
        let patches = play.answers.map(\.patches)
        #expect(patches.map { $0.map(\.reason) } == [[.location], [], []])
    }

    @Test func `loses what waits behind an answer that only the end of its server delimits`() {
        var play = Playbook()
        play.client(get("a.example"), .connect(2, "a.example:80"))
        play.on(.ready(LegID(2)), .send(2, sent("a.example")))
        play.client(get("b.example"), .pause)
        play.server(2, "HTTP/1.1 200 OK\r\n\r\nbody", .send(1, "HTTP/1.1 200 OK\r\n\r\nbody"))
        play.on(.ended(LegID(2)), .end(1), .reset(1), .resume)
        #expect(play.events.contains(.undelivered))
    }

    @Test func `closes the server that has been idle longest`() {
        var play = Playbook()
        let servers = 2...(2 + Relay.maximumIdleServers)
        for leg in servers {
            let host = "h\(leg).example"
            play.client(get(host), .connect(leg, "\(host):80"))
            play.on(.ready(LegID(Int64(leg))), .send(leg, sent(host)))
            play.server(leg, none, .send(1, none))
        }
        play.client(
            get("z.example"), .close(2), .connect(servers.upperBound + 1, "z.example:80"))
    }

    @Test func `keeps the order of requests that wait for answers to others`() {
        var play = Playbook(.reverse(origin), keepsHost: true)
        let all = (0..<Relay.maximumOutstanding + 40).map { sent("origin.example", "/\($0)") }
        var got = ""
        func take(_ steps: [Playbook.Step]) {
            for case .send(2, let text) in steps { got += text }
        }
        let split = all.count - 5
        take(play.steps(after: .received(Playbook.client, Array(all[..<split].joined().utf8))))
        take(play.steps(after: .ready(LegID(2))))
        for request in all[split...] {
            take(play.steps(after: .received(Playbook.client, Array(request.utf8))))
        }
        for _ in all { take(play.steps(after: .received(LegID(2), Array(none.utf8)))) }
        #expect(got == all.joined())
    }

    @Test func `tells the server nothing that is meant for the proxy`() {
        var play = Playbook()
        play.client(
            "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nProxy-Authorization: Basic YTpi\r\n"
                + "Proxy-Connection: keep-alive\r\nX: y\r\n\r\n",
            .connect(2, "a.example:80"))
        play.on(
            .ready(LegID(2)), .send(2, "GET / HTTP/1.1\r\nHost: a.example\r\nX: y\r\n\r\n"))
    }

    @Test(arguments: [
        ("a.b.example", true), ("b.example", false), (".b.example", false), ("ab.example", false),
    ])
    func `a pattern stands for names below its own`(host: String, matches: Bool) {
        #expect(HostPattern("*.b.example").matches(host) == matches)
    }
}
