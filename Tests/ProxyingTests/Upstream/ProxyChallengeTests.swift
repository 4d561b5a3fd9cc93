import Testing

@testable import Proxying

/// Digest by the examples of RFC 7616, 3.9.1, and the fields that proxies send.
@Suite struct ProxyChallengeTests {
    private static let mufasa = UpstreamProxy.Credentials(
        user: "Mufasa", password: "Circle of Life")
    private static let common =
        "realm=\"http-auth@example.org\", qop=\"auth, auth-int\", "
        + "nonce=\"7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v\", "
        + "opaque=\"FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS\""

    private func answer(_ challenge: ProxyChallenge) -> String {
        challenge.authorization(
            Self.mufasa, method: "GET", target: "/dir/index.html", count: 1,
            random: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
    }

    @Test func `answers the challenges of the specification`() throws {
        let sha = try #require(
            ProxyChallenge.best(of: ["Digest \(Self.common), algorithm=SHA-256"]))
        #expect(
            answer(sha).contains(
                "response=\"753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1\""))
        let md5 = try #require(ProxyChallenge.best(of: ["Digest \(Self.common), algorithm=MD5"]))
        #expect(answer(md5).contains("response=\"8ca523f5e9506fed4657c9700eebdbec\""))
        #expect(answer(md5).contains("nc=00000001") && answer(md5).contains("qop=auth,"))
    }

    /// RFC 2069, as it is in RFC 2617, 3.2.2.1: without a quality of protection.
    @Test func `answers as RFC 2069 has it where there is no qop`() throws {
        let challenge = try #require(
            ProxyChallenge.best(of: ["Digest realm=\"r\", nonce=\"n\""]))
        let text = challenge.authorization(
            .init(user: "u", password: "p"), method: "CONNECT", target: "a:1", count: 9,
            random: "x")
        let key = ProxyChallenge.Algorithm.md5.hash("u:r:p")
        let request = ProxyChallenge.Algorithm.md5.hash("CONNECT:a:1")
        let response = ProxyChallenge.Algorithm.md5.hash("\(key):n:\(request)")
        #expect(text.contains("response=\"\(response)\"") && !text.contains("qop"))
    }

    @Test func `takes the best of what is offered, and none of what is unknown`() {
        let digest = "Digest \(Self.common), algorithm=MD5"
        #expect(
            ProxyChallenge.best(of: ["Basic realm=\"a, b\", \(digest)"])?.scheme == .digest(.md5))
        #expect(
            ProxyChallenge.best(of: [
                digest, "Negotiate, Digest \(Self.common), algorithm=SHA-256",
            ])?.scheme == .digest(.sha256))
        #expect(ProxyChallenge.best(of: ["NTLM", "basic realm=x"])?.scheme == .basic)
        #expect(ProxyChallenge.best(of: ["basic realm=x"])?.realm == "x")
        #expect(ProxyChallenge.best(of: ["Negotiate", "NTLM abc=="]) == nil)
        #expect(
            ProxyChallenge.best(of: ["Digest realm=\"r\", nonce=\"n\", algorithm=SHA-512"]) == nil)
        #expect(
            ProxyChallenge.best(of: ["Digest realm=\"r\", nonce=\"n\", qop=auth-int"]) == nil)
        #expect(
            ProxyChallenge.best(of: ["Digest realm=\"r\", nonce=\"n\", stale=TRUE"])?.isStale
                == true)
    }

    @Test(arguments: ["", ",", "Digest", "Digest =", "=\"", "Basic realm=\"\\", "Digest nonce=\"a"])
    func `reads whatever a proxy sends`(field: String) {
        _ = ProxyChallenge.best(of: [field])
    }

    @Test func `Basic is user and password`() {
        #expect(
            ProxyChallenge.basic(.init(user: "Aladdin", password: "open sesame"))
                == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    }
}
