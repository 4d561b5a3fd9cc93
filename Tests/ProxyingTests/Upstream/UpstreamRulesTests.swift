import Testing

@testable import Proxying

@Suite struct UpstreamRulesTests {
    private static let one = UpstreamProxy(kind: .http, host: "one.test", port: 3128)
    private static let two = UpstreamProxy(kind: .socks5, host: "two.test", port: 1080)

    private func port(
        _ rules: UpstreamRules, _ host: String, _ port: Int = 80, isTunnel: Bool = false
    ) -> Int? {
        rules.proxy(for: ServerAddress(host: host, port: port, isTLS: false), isTunnel: isTunnel)?
            .port
    }

    @Test func `the rule about a host counts before the one about all`() {
        let rules = UpstreamRules([
            .init(proxy: Self.one), .init(hosts: HostPattern("*.two.test"), proxy: Self.two),
            .init(hosts: HostPattern("direct.test"), proxy: nil),
        ])
        #expect(port(rules, "a.test") == 3128)
        #expect(port(rules, "a.two.test") == 1080)
        #expect(port(rules, "direct.test") == nil)
        #expect(port(UpstreamRules(), "a.test") == nil)
    }

    @Test func `a variable is about servers with TLS or about the others`() {
        let rules = UpstreamRules([
            .init(isTLS: false, proxy: Self.one), .init(isTLS: true, proxy: Self.two),
        ])
        #expect(port(rules, "a.test") == 3128)
        #expect(port(rules, "a.test", isTunnel: true) == 1080)
    }

    @Test(arguments: [
        ("*", "a.test", 80, true), ("a.test", "a.test", 80, true), ("a.test", "b.a.test", 80, true),
        (".a.test", "b.a.test", 80, true), ("*.a.test", "b.a.test", 80, true),
        ("a.test", "ba.test", 80, false), ("x, a.test", "a.test", 80, true),
        ("A.Test", "a.test", 80, true), ("a.test:81", "a.test", 80, false),
        ("a.test:80", "b.a.test", 80, true), ("10.0.0.0/8", "10.1.2.3", 80, true),
        ("10.0.0.0/8", "11.1.2.3", 80, false), ("10.1.2.3", "10.1.2.3", 80, true),
        ("10.0.0.0/9", "10.128.0.1", 80, false), ("::1", "::1", 80, true),
        ("[::1]", "0:0:0:0:0:0:0:1", 80, true), ("fd00::/8", "fd12::3", 80, true),
        ("fd00::/8", "10.0.0.1", 80, false), ("10.0.0.0/99", "10.0.0.1", 80, false),
        ("10.0.0.0/x", "10.0.0.0", 80, false), ("", "a.test", 80, false),
        (",. ", "a.test", 80, false),
    ])
    func `exceptions are read as programs read NO_PROXY`(
        list: String, host: String, port: Int, isCovered: Bool
    ) {
        #expect(ProxyExceptions(list).cover(host, port: port) == isCovered)
    }

    @Test func `a rule about a host counts before an exception`() {
        let rules = UpstreamRules(
            [.init(proxy: Self.one), .init(hosts: HostPattern("a.test"), proxy: Self.two)],
            exceptions: ProxyExceptions("test"))
        #expect(port(rules, "a.test") == 1080)
        #expect(port(rules, "b.test") == nil)
    }

    @Test func `addresses that were given are for their host and port`() {
        let outward = Outward(answers: [
            .init(host: "a.test", port: 443, addresses: ["127.0.0.1"]),
            .init(host: nil, port: 80, addresses: ["::1"]),
        ])
        #expect(outward.answer(for: "A.test", port: 443) == ["127.0.0.1"])
        #expect(outward.answer(for: "b.test", port: 443) == nil)
        #expect(outward.answer(for: "b.test", port: 80) == ["::1"])
    }
}
