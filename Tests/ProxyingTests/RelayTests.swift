import Testing
import Wire

@testable import Proxying

private let origin = ServerAddress(host: "origin.example", port: 80, isTLS: false)
private let hello = "GET /a HTTP/1.1\r\nHost: origin.example\r\n\r\n"
private let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

@Suite struct RelayTests {
    @Test func `passes a request and its answer through a reverse proxy`() {
        var play = Playbook(.reverse(origin))
        play.client(hello, .connect(2, "origin.example:80"))
        play.on(.ready(LegID(2)), .send(2, hello))
        play.server(2, answer, .send(1, answer))
        play.client(hello, .send(2, hello))
        play.server(2, answer, .send(1, answer))
        #expect(
            play.chunks == [
                "client: \(hello)", "server: \(answer)", "client: \(hello)", "server: \(answer)",
            ])
        #expect(play.patches.isEmpty)
    }

    @Test func `knows how much of a body is to come, of either peer`() {
        var play = Playbook(.reverse(origin))
        #expect([1, 2].map { play.contentToCome(on: $0) } == [0, 0])
        let upload = "PUT /a HTTP/1.1\r\nHost: origin.example\r\nContent-Length: 9\r\n\r\nabc"
        play.client(upload, .connect(2, "origin.example:80"))
        play.on(.ready(LegID(2)), .send(2, upload))
        #expect([1, 2].map { play.contentToCome(on: $0) } == [6, 0])
        play.client("defghi", .send(2, "defghi"))
        let part = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nx"
        play.server(2, part, .send(1, part))
        #expect([1, 2].map { play.contentToCome(on: $0) } == [0, 4])
        play.server(2, "yyyy", .send(1, "yyyy"))
        play.client(hello, .send(2, hello))
        // Where a length is not announced, nothing is certain.
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc"
        play.server(2, chunked, .send(1, chunked))
        #expect([1, 2, 3].map { play.contentToCome(on: $0) } == [0, 0, 0])
    }

    @Test func `names the server instead of the proxy in Host and Origin`() {
        var play = Playbook(.reverse(origin))
        play.client(
            "POST / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nOrigin: http://127.0.0.1:8080\r\nContent-Length: 1\r\n\r\nx",
            .connect(2, "origin.example:80"))
        play.on(
            .ready(LegID(2)),
            .send(
                2,
                "POST / HTTP/1.1\r\nHost: origin.example\r\nOrigin: http://origin.example\r\nContent-Length: 1\r\n\r\nx"
            ))
        #expect(play.patches.map(\.reason) == [.host, .origin])
    }

    @Test func `leads a redirect back to the proxy`() {
        var play = Playbook(.reverse(origin))
        play.client(
            "GET / HTTP/1.1\r\nHost: localhost:8080\r\n\r\n", .connect(2, "origin.example:80"))
        play.on(.ready(LegID(2)), .send(2, "GET / HTTP/1.1\r\nHost: origin.example\r\n\r\n"))
        play.server(
            2,
            "HTTP/1.1 302 Found\r\nLocation: https://origin.example/x?y\r\nContent-Length: 0\r\n\r\n",
            .send(
                1,
                "HTTP/1.1 302 Found\r\nLocation: http://localhost:8080/x?y\r\nContent-Length: 0\r\n\r\n"
            ))
    }

    @Test(arguments: ["https://other.example/x", "/relative", "http://origin.example.evil/x"])
    func `leaves a redirect to elsewhere alone`(location: String) {
        var play = Playbook(.reverse(origin))
        play.client(
            "GET / HTTP/1.1\r\nHost: localhost:8080\r\n\r\n", .connect(2, "origin.example:80"))
        play.on(.ready(LegID(2)), .send(2, "GET / HTTP/1.1\r\nHost: origin.example\r\n\r\n"))
        let answer = "HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n"
        play.server(2, answer, .send(1, answer))
    }

    @Test func `keeps Host when it is told to`() {
        var play = Playbook(.reverse(origin), keepsHost: true)
        let request = "GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n"
        play.client(request, .connect(2, "origin.example:80"))
        play.on(.ready(LegID(2)), .send(2, request))
    }

    @Test func `rewrites a head that came in pieces`() {
        var play = Playbook(.reverse(origin))
        play.client("GET / HTTP/1.1\r\nHo")
        play.client("st: 127.0.0")
        play.client(".1\r\nX: y\r\n\r\n", .connect(2, "origin.example:80"))
        play.on(
            .ready(LegID(2)), .send(2, "GET / HTTP/1.1\r\nHost: origin.example\r\nX: y\r\n\r\n"))
        #expect(
            play.chunks == [
                "client: GET / HTTP/1.1\r\nHo", "client: st: 127.0.0", "client: .1\r\nX: y\r\n\r\n",
            ])
    }

    @Test func `turns an absolute target into an origin one and drops what names the proxy`() {
        var play = Playbook()
        play.client(
            "GET http://Origin.example/p?q HTTP/1.1\r\nHost: origin.example\r\nProxy-Connection: keep-alive\r\nA: b\r\n\r\n",
            .connect(2, "origin.example:80"))
        play.on(
            .ready(LegID(2)),
            .send(2, "GET /p?q HTTP/1.1\r\nHost: origin.example\r\nA: b\r\n\r\n"))
        #expect(play.patches.map(\.reason) == [.requestTarget, .hopByHop])
    }

    @Test func `sends requests of one connection to different servers in turn`() {
        var play = Playbook()
        let one = "GET http://one.example/ HTTP/1.1\r\nHost: one.example\r\n\r\n"
        let two = "GET http://two.example/ HTTP/1.1\r\nHost: two.example\r\n\r\n"
        play.client(one + two + one, .connect(2, "one.example:80"), .pause)
        play.on(.ready(LegID(2)), .send(2, "GET / HTTP/1.1\r\nHost: one.example\r\n\r\n"))
        play.server(2, answer, .send(1, answer), .connect(3, "two.example:80"))
        play.on(.ready(LegID(3)), .send(3, "GET / HTTP/1.1\r\nHost: two.example\r\n\r\n"))
        play.server(
            3, answer, .send(1, answer), .send(2, "GET / HTTP/1.1\r\nHost: one.example\r\n\r\n"),
            .resume)
        play.server(2, answer, .send(1, answer))
        #expect(
            play.chunks == [
                "client: \(one)", "server: \(answer)", "client: \(two)", "server: \(answer)",
                "client: \(one)", "server: \(answer)",
            ])
    }

    @Test func `passes pipelined requests on at once`() {
        var play = Playbook(.reverse(origin))
        play.client(hello + hello, .connect(2, "origin.example:80"))
        play.on(.ready(LegID(2)), .send(2, hello + hello))
        play.server(2, answer + answer, .send(1, answer + answer))
    }

    @Test func `opens a tunnel when the server is there`() {
        var play = Playbook()
        let connect = "CONNECT origin.example:443 HTTP/1.1\r\nHost: origin.example:443\r\n\r\n"
        play.client(connect, .connect(2, "origin.example:443"), .pause)
        let established = "HTTP/1.1 200 Connection established\r\n\r\n"
        play.on(.ready(LegID(2)), .send(1, established), .resume)
        play.client(hello, .send(2, hello))
        play.server(2, answer, .send(1, answer))
        #expect(
            play.chunks == [
                "client: \(connect)", "tapedeck: \(established)", "client: \(hello)",
                "server: \(answer)",
            ])
    }

    @Test func `says when the server of a tunnel is not there`() throws {
        var play = Playbook()
        play.client(
            "CONNECT nowhere.example:443 HTTP/1.1\r\nHost: nowhere.example:443\r\n\r\n",
            .connect(2, "nowhere.example:443"), .pause)
        let text = "tapedeck: could not reach nowhere.example:443: no such name\n"
        play.on(
            .refused(LegID(2), "no such name"),
            .send(
                1,
                "HTTP/1.1 502 Bad Gateway\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: \(text.utf8.count)\r\nConnection: close\r\n\r\n\(text)"
            ),
            .end(1), .resume)
        #expect(play.events == [.refused])
    }

    @Test func `relays what is neither TLS nor HTTP in a tunnel`() {
        var play = Playbook()
        play.client("CONNECT o.example:25 HTTP/1.1\r\n\r\n", .connect(2, "o.example:25"), .pause)
        play.on(.ready(LegID(2)), .send(1, "HTTP/1.1 200 Connection established\r\n\r\n"), .resume)
        play.server(2, "220 ready\r\n", .send(1, "220 ready\r\n"))
        play.client("EHLO x\r\n", .send(2, "EHLO x\r\n"))
    }

    @Test func `intercepts TLS in a tunnel`() {
        var play = Playbook()
        play.client(
            "CONNECT o.example:443 HTTP/1.1\r\n\r\n", .connect(2, "o.example:443"), .pause)
        play.on(.ready(LegID(2)), .send(1, "HTTP/1.1 200 Connection established\r\n\r\n"), .resume)
        play.on(
            .received(Playbook.client, helloRecord(name: "o.example")), .secureClient("o.example"),
            .secureServer(2, "o.example"))
        play.on(.clientSecured)
        play.client(hello)
        play.on(.ready(LegID(2)), .send(2, hello))
    }

    @Test func `leaves the TLS of a host alone and says so`() {
        var play = Playbook(passthrough: ["*.example"])
        play.client(
            "CONNECT o.example:443 HTTP/1.1\r\n\r\n", .connect(2, "o.example:443"), .pause)
        play.on(.ready(LegID(2)), .send(1, "HTTP/1.1 200 Connection established\r\n\r\n"), .resume)
        let bytes = helloRecord(name: "o.example")
        play.on(
            .received(Playbook.client, bytes), .send(2, String(decoding: bytes, as: UTF8.self)))
        play.on(.received(LegID(2), [22, 1]), .send(1, "\u{16}\u{01}"))
        #expect(play.events == [.passthrough])
        #expect(play.chunks.count == 2)
    }

    @Test func `records nothing of other hosts`() {
        var play = Playbook(only: ["wanted.example"])
        play.client(
            "GET http://other.example/ HTTP/1.1\r\nHost: other.example\r\n\r\n",
            .connect(2, "other.example:80"))
        play.on(.ready(LegID(2)), .send(2, "GET / HTTP/1.1\r\nHost: other.example\r\n\r\n"))
        play.on(.noted(LegID(2), .opened, "10.0.0.1:80"))
        play.on(.noted(Playbook.client, .tlsFailed, "no"))
        play.server(2, answer, .send(1, answer))
        #expect(play.records.isEmpty)
        play.client(
            "GET http://wanted.example/ HTTP/1.1\r\nHost: wanted.example\r\n\r\n",
            .connect(3, "wanted.example:80"))
        #expect(play.chunks.count == 1)
    }

    @Test func `passes both ways after an upgrade`() {
        var play = Playbook(.reverse(origin))
        let upgrade =
            "GET /s HTTP/1.1\r\nHost: origin.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
        play.client(upgrade, .connect(2, "origin.example:80"))
        play.on(.ready(LegID(2)), .send(2, upgrade))
        let switched =
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
        play.server(2, switched + "early", .send(1, switched + "early"))
        play.client("frames", .send(2, "frames"))
        play.server(2, "more", .send(1, "more"))
    }

    @Test func `waits for the final response after an interim one`() {
        var play = Playbook(.reverse(origin))
        let post =
            "POST / HTTP/1.1\r\nHost: origin.example\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
        play.client(post, .connect(2, "origin.example:80"))
        play.on(.ready(LegID(2)), .send(2, post))
        play.server(2, "HTTP/1.1 100 Continue\r\n\r\n", .send(1, "HTTP/1.1 100 Continue\r\n\r\n"))
        play.client("hi", .send(2, "hi"))
        play.server(2, answer, .send(1, answer))
        play.client(hello, .send(2, hello))
        play.server(2, answer, .send(1, answer))
    }

    @Test func `goes on with HTTP when an upgrade is refused`() {
        var play = Playbook(.reverse(origin))
        let upgrade =
            "GET /s HTTP/1.1\r\nHost: origin.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
        play.client(upgrade + hello, .connect(2, "origin.example:80"), .pause)
        play.on(.ready(LegID(2)), .send(2, upgrade))
        play.server(2, answer, .send(1, answer), .send(2, hello), .resume)
    }

    @Test func `preserves half-close`() {
        var play = Playbook(.reverse(origin))
        play.client(hello, .connect(2, "origin.example:80"))
        play.on(.ready(LegID(2)), .send(2, hello))
        play.on(.ended(Playbook.client), .end(2))
        play.server(2, answer, .send(1, answer))
        play.on(.ended(LegID(2)), .end(1))
    }

    @Test func `keeps a forward connection when an idle server closes`() {
        var play = Playbook()
        play.client(
            "GET http://one.example/ HTTP/1.1\r\nHost: one.example\r\n\r\n",
            .connect(2, "one.example:80"))
        play.on(.ready(LegID(2)), .send(2, "GET / HTTP/1.1\r\nHost: one.example\r\n\r\n"))
        play.server(2, answer, .send(1, answer))
        play.client(
            "GET http://two.example/ HTTP/1.1\r\nHost: two.example\r\n\r\n",
            .connect(3, "two.example:80"))
        play.on(.ready(LegID(3)), .send(3, "GET / HTTP/1.1\r\nHost: two.example\r\n\r\n"))
        play.server(3, answer, .send(1, answer))
        play.on(.ended(LegID(2)), .close(2))
    }

    @Test func `hands a reset on`() {
        var play = Playbook(.reverse(origin))
        play.client(hello, .connect(2, "origin.example:80"))
        play.on(.ready(LegID(2)), .send(2, hello))
        play.on(.closed(Playbook.client, isReset: true, "reset"), .reset(2))
        #expect(play.events == [.closed])
    }

    @Test func `relays garbage to the only server there is`() {
        var play = Playbook(.reverse(origin))
        play.client("\u{01}\u{02}garbage", .connect(2, "origin.example:80"))
        play.on(.ready(LegID(2)), .send(2, "\u{01}\u{02}garbage"))
        #expect(play.events == [.raw])
    }

    @Test func `refuses garbage where no server is known`() {
        var play = Playbook()
        play.on(.received(Playbook.client, [1, 2, 3]), .send(1, refusal), .end(1))
    }

    private var refusal: String {
        let text =
            "tapedeck: this is an HTTP and SOCKS proxy, and what was sent is something else\n"
        return
            "HTTP/1.1 400 Bad Request\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: \(text.utf8.count)\r\nConnection: close\r\n\r\n\(text)"
    }
}

/// A TLS record with a ClientHello that has a server name and nothing else.
func helloRecord(name: String) -> [UInt8] {
    let host = Array(name.utf8)
    func two(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 255)] }
    let list = [0] + two(host.count) + host
    let names = two(list.count) + list
    let extensions = [0, 0] + two(names.count) + names
    let body =
        [3, 3] + [UInt8](repeating: 7, count: 32) + [0] + [0, 2, 0x13, 0x01] + [1, 0]
        + two(extensions.count) + extensions
    let message = [1, 0] + two(body.count) + body
    return [0x16, 3, 1] + two(message.count) + message
}
