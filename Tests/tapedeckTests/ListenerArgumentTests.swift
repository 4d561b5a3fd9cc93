import Proxying
import Testing

@testable import tapedeck

/// What `--listen`, `--upstream` and `--resolve` take.
@Suite struct ListenerArgumentTests {
    @Test func `a listener names its kind and its place`() throws {
        let usual = try #require(ListenerArgument(argument: "8080"))
        #expect(usual.kind == .usual && usual.host == "127.0.0.1" && usual.port == 8080)
        let http = try #require(ListenerArgument(argument: "http://0.0.0.0:81"))
        #expect(http.kind == .http && http.host == "0.0.0.0" && http.port == 81)
        let socks = try #require(ListenerArgument(argument: "socks5://[::1]:1080"))
        #expect(socks.kind == .socks(nil) && socks.host == "::1" && socks.port == 1080)
        let closed = try #require(ListenerArgument(argument: "socks5://a%3Ab:p@ss@127.0.0.1:0"))
        #expect(closed.kind == .socks(SOCKSCredentials(user: "a:b", password: "p@ss")))
        let server = ServerAddress(host: "h.test", port: 443, isTLS: true)
        let reverse = try #require(ListenerArgument(argument: "reverse:0.0.0.0:82=https://h.test"))
        #expect(reverse.kind == .reverse(server) && reverse.host == "0.0.0.0" && reverse.port == 82)
        #expect(ListenerArgument(argument: "reverse:82=https://h.test")?.host == "127.0.0.1")
        let tproxy = try #require(ListenerArgument(argument: "tproxy:[::1]:83"))
        #expect(tproxy.kind == .tproxy && tproxy.host == "::1" && tproxy.port == 83)
    }

    @Test(arguments: [
        "", "x", "70000", "ftp://127.0.0.1:1", "socks5://", "socks5://a@127.0.0.1:0",
        "socks5://:x@127.0.0.1:0", "reverse:82", "reverse:82=h.test", "reverse:=http://h.test",
        "tproxy:",
        "http://127.0.0.1:1/x",
    ])
    func `what is none is refused`(text: String) {
        #expect(ListenerArgument(argument: text) == nil)
    }

    @Test func `passwords are left out of what the trace says of the command line`() {
        #expect(
            CommandWords.withoutPasswords([
                "record", "--upstream", "http://ada:se:cr@t@p:1", "--to", "https://h.test",
            ]) == "record --upstream http://ada:…@p:1 --to https://h.test")
    }

    private func rules(
        _ texts: [String], _ environment: [String: String] = [:]
    ) throws -> UpstreamRules {
        let arguments = try texts.map { try #require(UpstreamArgument(argument: $0)) }
        return try UpstreamArgument.rules(arguments, environment)
    }

    @Test func `an upstream proxy has a scheme, and may be for some hosts`() throws {
        let found = try rules([
            "http://ada:p%40=@p.test", "*.b.test=socks5h://[::1]:9", "c.test=direct",
        ]).rules
        let ada = UpstreamProxy.Credentials(user: "ada", password: "p@=")
        #expect(
            found == [
                .init(
                    proxy: UpstreamProxy(
                        kind: .http, host: "p.test", port: 80, credentials: ada)),
                .init(
                    hosts: HostPattern("*.b.test"),
                    proxy: UpstreamProxy(kind: .socks5, host: "::1", port: 9)),
                .init(hosts: HostPattern("c.test"), proxy: nil),
            ])
        for text in ["", "p.test:80", "ftp://p.test", "direct", "=http://p", "http://", "a=b"] {
            #expect(UpstreamArgument(argument: text) == nil)
        }
    }

    @Test func `the environment counts where it is asked for`() throws {
        let variables = [
            "http_proxy": "p.test:1", "HTTP_PROXY": "http://other:1",
            "HTTPS_PROXY": "https://q.test", "all_proxy": "", "no_proxy": "x.test",
        ]
        #expect(try rules([], variables) == UpstreamRules())
        let found = try rules(["env"], variables)
        #expect(
            found.rules == [
                .init(isTLS: false, proxy: UpstreamProxy(kind: .http, host: "p.test", port: 1)),
                .init(isTLS: true, proxy: UpstreamProxy(kind: .https, host: "q.test", port: 443)),
            ])
        #expect(found.exceptions == ProxyExceptions("x.test"))
        #expect(throws: Failure.self) { try rules(["env"], ["all_proxy": "socks4://p"]) }
    }

    @Test func `known addresses are written as for curl`() throws {
        let known = try #require(KnownAddress(argument: "A.test:443:127.0.0.1,[::1]"))
        #expect(
            known.answer
                == Outward.Answer(host: "a.test", port: 443, addresses: ["127.0.0.1", "::1"]))
        #expect(KnownAddress(argument: "*:80:::1")?.answer.host == nil)
        for text in ["", "a.test", "a.test:443", "a.test:443:", "a.test:x:::1", "a:1:b.test"] {
            #expect(KnownAddress(argument: text) == nil)
        }
    }
}
