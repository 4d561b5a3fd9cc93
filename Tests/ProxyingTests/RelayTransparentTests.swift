import Faults
import Testing
import Wire

@testable import Proxying

private let server = ServerAddress(host: "shop.test", port: 80, isTLS: false)
private let get = "GET / HTTP/1.1\r\nHost: shop.test\r\n\r\n"

/// Clients whose connections are redirected.
@Suite struct RelayTransparentTests {
    @Test func `connects at once, and passes what the client says as it is`() {
        var play = Playbook(.transparent)
        play.on(.redirected(server), .connect(2, "shop.test:80"), .pause)
        play.on(.ready(LegID(2)), .resume)
        play.client(get, .send(2, get))
        #expect(play.chunks == ["client: \(get)"])
        #expect(play.patches.isEmpty && play.events.isEmpty)
    }

    @Test func `a client that speaks before its server is there waits`() {
        var play = Playbook(.transparent)
        play.on(.redirected(server), .connect(2, "shop.test:80"), .pause)
        play.client(get)
        play.on(.ready(LegID(2)), .send(2, get), .resume)
    }

    @Test func `a server may speak first`() {
        var play = Playbook(.transparent)
        play.on(.redirected(server), .connect(2, "shop.test:80"), .pause)
        play.on(.ready(LegID(2)), .resume)
        play.server(2, "220 ready\r\n", .send(1, "220 ready\r\n"))
        play.client("QUIT\r\n", .send(2, "QUIT\r\n"))
        #expect(play.events == [.raw])
    }

    @Test func `TLS is intercepted by the name that the client says`() {
        var play = Playbook(.transparent)
        let address = ServerAddress(host: "203.0.113.1", port: 443, isTLS: false)
        play.on(.redirected(address), .connect(2, "203.0.113.1:443"), .pause)
        play.on(.ready(LegID(2)), .resume)
        play.on(
            .received(Playbook.client, helloRecord(name: "shop.test")),
            .secureClient("shop.test"), .secureServer(2, "shop.test"))
    }

    @Test func `a client of HTTP gets a 502 where its server cannot be reached`() {
        var play = Playbook(.transparent)
        play.on(.redirected(server), .connect(2, "shop.test:80"), .pause)
        play.on(.refused(LegID(2), "no", .refused), .resume)
        let steps = play.steps(after: .received(Playbook.client, Array(get.utf8)))
        guard case .send(1, let text)? = steps.first else {
            Issue.record("\(steps)")
            return
        }
        #expect(text.hasPrefix("HTTP/1.1 502 ") && text.contains("shop.test:80: no"))
    }

    @Test func `another client is reset`() {
        var play = Playbook(.transparent)
        play.on(.redirected(server), .connect(2, "shop.test:80"), .pause)
        play.on(.refused(LegID(2), "no", .refused), .resume)
        play.on(.received(Playbook.client, [0, 1]), .reset(1))
        #expect(play.events == [.refused, .undelivered])
    }

    @Test func `rules are about its requests and its connections`() throws {
        var play = Playbook(.transparent, rules: try FaultSession("path:/ => 503"))
        play.on(.redirected(server), .connect(2, "shop.test:80"), .pause)
        play.on(.ready(LegID(2)), .resume)
        let steps = play.steps(after: .received(Playbook.client, Array(get.utf8)))
        guard case .send(1, let text)? = steps.first else {
            Issue.record("\(steps)")
            return
        }
        #expect(text.hasPrefix("HTTP/1.1 503 "))
    }

    @Test func `the proxy's own pages have a name of their own`() {
        var play = Playbook(.transparent) {
            $0.ownPages = ["/": OwnPage(type: "text/html", content: Array("<p>".utf8))]
        }
        play.on(.redirected(ServerAddress(host: "tapedeck.test", port: 80, isTLS: false)))
        let steps = play.steps(
            after: .received(
                Playbook.client, Array("GET / HTTP/1.1\r\nHost: tapedeck.test\r\n\r\n".utf8)))
        guard case .send(1, let text)? = steps.first else {
            Issue.record("\(steps)")
            return
        }
        #expect(text.hasPrefix("HTTP/1.1 200 ") && text.hasSuffix("<p>"))
    }
}
