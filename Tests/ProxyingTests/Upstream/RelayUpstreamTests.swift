import Testing
import Wire

@testable import Proxying

private let absolute = "GET http://shop.test/a HTTP/1.1\r\nHost: shop.test\r\n\r\n"
private let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
private let squid = "http://p.test:3128"

/// Requests through another proxy: what it gets, and what the trace has.
@Suite struct RelayUpstreamTests {
    private func playbook(
        _ mode: RelaySettings.Mode = .forward, _ kind: UpstreamProxy.Kind = .http,
        user: String? = nil
    ) -> Playbook {
        Playbook(mode) {
            $0.upstream = UpstreamRules([
                .init(
                    proxy: UpstreamProxy(
                        kind: kind, host: "p.test", port: 3128,
                        credentials: user.map { .init(user: $0, password: "secret") }))
            ])
        }
    }

    @Test
    func `a plain request goes to it with its absolute target, and is recorded for its server`() {
        var play = playbook(user: "ada")
        play.client(
            absolute, .connectThrough(2, "shop.test:80", squid, isTunnel: false))
        play.on(
            .ready(LegID(2)),
            .send(2, "GET http://shop.test/a HTTP/1.1\r\nHost: shop.test\r\n\r\n"))
        play.server(2, answer, .send(1, answer))
        #expect(play.had(by: .server) == ["GET /a HTTP/1.1\r\nHost: shop.test\r\n\r\n"])
        #expect(play.patches.map(\.reason) == [.requestTarget])
        #expect(play.events == [.upstream] && play.details == [squid])
    }

    @Test func `the same when it comes in pieces`() {
        var play = playbook()
        for (index, character) in absolute.enumerated() {
            let steps = play.steps(after: .received(Playbook.client, Array("\(character)".utf8)))
            if index < absolute.count - 1 { #expect(steps.isEmpty) }
        }
        play.on(.ready(LegID(2)), .send(2, absolute))
        #expect(play.had(by: .server).joined() == "GET /a HTTP/1.1\r\nHost: shop.test\r\n\r\n")
    }

    @Test func `a reverse proxy's request gains its server`() {
        var play = playbook(.reverse(ServerAddress(host: "shop.test", port: 8080, isTLS: false)))
        play.client(
            "GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n",
            .connectThrough(2, "shop.test:8080", squid, isTunnel: false))
        play.on(
            .ready(LegID(2)),
            .send(2, "GET http://shop.test:8080/a HTTP/1.1\r\nHost: shop.test:8080\r\n\r\n"))
        #expect(play.had(by: .server) == ["GET /a HTTP/1.1\r\nHost: shop.test:8080\r\n\r\n"])
    }

    @Test func `tunnels, TLS, upgrades and SOCKS need one of its tunnels`() {
        var tunnel = playbook()
        tunnel.client(
            "CONNECT shop.test:443 HTTP/1.1\r\n\r\n",
            .connectThrough(2, "shop.test:443", squid, isTunnel: true), .pause)
        var upgrade = playbook()
        upgrade.client(
            "GET http://shop.test/ HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
            .connectThrough(2, "shop.test:80", squid, isTunnel: true))
        var secure = playbook(.reverse(ServerAddress(host: "shop.test", port: 443, isTLS: true)))
        secure.client(
            "GET / HTTP/1.1\r\nHost: shop.test\r\n\r\n",
            .connectThrough(2, "shop.test:443", squid, isTunnel: true))
        var socks = playbook(.forward, .socks5)
        socks.client(
            absolute, .connectThrough(2, "shop.test:80", "socks5://p.test:3128", isTunnel: true))
        socks.on(
            .ready(LegID(2)), .send(2, "GET /a HTTP/1.1\r\nHost: shop.test\r\n\r\n"))
    }

    @Test(arguments: [nil, "ada"])
    func `a proxy that wants a password is answered for with 502`(user: String?) {
        var play = playbook(user: user)
        _ = play.steps(after: .received(Playbook.client, Array(absolute.utf8)))
        _ = play.steps(after: .ready(LegID(2)))
        let refusal =
            "HTTP/1.1 407 Auth\r\nProxy-Authenticate: Basic\r\nContent-Length: 2\r\n\r\nno"
        var text = ""
        for part in [refusal.prefix(20), refusal.dropFirst(20)] {
            for case .send(1, let bytes) in play.steps(after: .received(LegID(2), Array(part.utf8)))
            {
                text += bytes
            }
        }
        #expect(text.hasPrefix("HTTP/1.1 502 ") && text.contains("the upstream proxy \(squid)"))
        #expect(text.contains(user == nil ? "wants a user" : "does not accept"))
        #expect(play.events.contains(.undelivered))
    }

    @Test func `a proxy that cannot be reached is named`() {
        var play = playbook()
        _ = play.steps(after: .received(Playbook.client, Array(absolute.utf8)))
        let steps = play.steps(after: .refused(LegID(2), "the upstream proxy \(squid): no"))
        guard case .send(1, let text)? = steps.first else {
            Issue.record("\(steps)")
            return
        }
        #expect(text.hasPrefix("HTTP/1.1 502 ") && text.contains("the upstream proxy \(squid): no"))
    }
}
