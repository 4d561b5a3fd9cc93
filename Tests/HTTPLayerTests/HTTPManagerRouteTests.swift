import Platform
import Testing

@testable import HTTPLayer

extension HTTPManagerTests {
    @Test func `answers a digest challenge, with the body again`() async throws {
        let server = TestServer { request, _ in
            request["Authorization"] == nil
                ? .status(401, [#"WWW-Authenticate: Digest realm="r", nonce="n", qop="auth""#])
                : .ok()
        }
        defer { server.stop() }
        var request = try Self.post(server.url + "/form", "the form")
        request.credentials = Credentials(user: "u", password: "p:w")
        // Whether redirects are followed has nothing to do with it.
        #expect(await Self.manager { $0.redirectLimit = 0 }.response(to: request).isSuccess)
        let seen = server.requests
        #expect(seen.count == 2)
        #expect(seen.first?["Authorization"] == nil)
        let sent = try #require(seen.last?["Authorization"])
        #expect(sent.hasPrefix(#"Digest username="u", realm="r", nonce="n", uri="/form""#))
        #expect(seen.last?.body == Array("the form".utf8))
    }

    @Test func `sends a compressed file again after a challenge`() async throws {
        let server = TestServer { request, _ in
            request["Authorization"] == nil
                ? .status(401, [#"WWW-Authenticate: Digest realm="r", nonce="n", qop="auth""#])
                : .ok()
        }
        defer { server.stop() }
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 3) }
        let path = Self.writeFile(bytes)
        defer { unlink(path) }
        var request = try Self.post(server.url)
        request.requestBody = .file(path: path)
        request.compression = true
        request.credentials = Credentials(user: "u", password: "p")
        let response = await Self.manager().response(to: request)
        #expect(response.isSuccess, "\(String(describing: response.error))")
        #expect(inflated(server.requests.last?.body ?? []) == bytes)
    }

    @Test func `sends basic when asked, or at once where told to`() async throws {
        let server = TestServer { request, _ in
            request["Authorization"] == "Basic dTpwOnc="
                ? .ok() : .status(401, [#"WWW-Authenticate: Basic realm="r""#])
        }
        defer { server.stop() }
        let manager = Self.manager()
        var request = try Self.post(server.url, "x")
        request.credentials = Credentials(user: "u", password: "p:w")
        #expect(await manager.response(to: request).isSuccess)
        #expect(server.requests.count == 2)
        request.credentials?.scheme = .preemptiveBasic
        #expect(await manager.response(to: request).isSuccess)
        #expect(server.requests.count == 3)
        request.credentials?.password = "wrong"
        let refused = await manager.response(to: request)
        #expect(refused.metadata?.status == 401)
        #expect(refused.error == nil)
    }

    @Test(arguments: [301, 302, 307, 308]) func `a redirected POST stays a POST`(
        status: Int
    )
        async throws
    {
        let server = TestServer { request, _ in
            request.target == "/a" ? .status(status, ["Location: /b"]) : .ok("there")
        }
        defer { server.stop() }
        let response = await Self.manager().response(to: try Self.post(server.url + "/a", "form"))
        #expect(response.metadata?.finalURL == server.url + "/b")
        #expect(response.data == Array("there".utf8))
        #expect(server.requests.map(\.method) == ["POST", "POST"])
        #expect(server.requests.last?.body == Array("form".utf8))
    }

    @Test func `a 303 answers a POST and redirects a GET`() async throws {
        let server = TestServer { request, _ in
            request.target == "/a" ? .status(303, ["Location: /b"]) : .ok()
        }
        defer { server.stop() }
        let manager = Self.manager()
        let posted = await manager.response(to: try Self.post(server.url + "/a", "form"))
        #expect(posted.metadata?.status == 303)
        #expect(posted.metadata?["location"] == "/b")
        #expect(posted.error == nil)
        #expect(server.requests.count == 1)
        #expect(await manager.response(to: try Self.get(server.url + "/a")).isSuccess)
    }

    @Test func `refuses endless redirects and those to other schemes`() async throws {
        let server = TestServer { request, _ in
            .status(302, [request.target == "/f" ? "Location: file:///etc/passwd" : "Location: /"])
        }
        defer { server.stop() }
        let manager = Self.manager { $0.redirectLimit = 3 }
        for target in ["/", "/f"] {
            let error = await manager.response(to: try Self.get(server.url + target)).error
            guard case .redirect = error else {
                return #expect(Bool(false), "\(String(describing: error))")
            }
        }
        #expect(server.requests.count == 5)
        let none = await Self.manager { $0.redirectLimit = 0 }
            .response(to: try Self.get(server.url))
        #expect(none.metadata?.status == 302)
        #expect(none.metadata?.redirectURL == server.url + "/")
    }

    @Test func `goes through the proxy of its settings`() async throws {
        let proxy = TestServer { _, _ in .ok("by proxy") }
        defer { proxy.stop() }
        let manager = Self.manager { $0.proxy = "http://127.0.0.1:\(proxy.port)" }
        let response = await manager.response(to: try Self.get("http://server.invalid/x"))
        #expect(response.data == Array("by proxy".utf8))
        #expect(proxy.requests.first?.target == "http://server.invalid/x")
    }

    @Test func `goes through the proxy of the environment`() async throws {
        await #expect(processExitsWith: .success) {
            let proxy = TestServer { _, _ in .ok("by proxy") }
            setenv("http_proxy", "http://127.0.0.1:\(proxy.port)", 1)
            setenv("no_proxy", "", 1)
            var request = try Request(url: "http://server.invalid/x")
            request.requestType = .get
            let response = await HTTPManager.shared.response(to: request)
            exit(response.data == Array("by proxy".utf8) ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }

    @Test func `says what to do where TLS fails`() async throws {
        let server = TestServer { _, _ in .close }
        defer { server.stop() }
        let manager = Self.manager { $0.caFile = "/nowhere/ca.pem" }
        let response = await manager.response(
            to: try Self.get("https://127.0.0.1:\(server.port)/", retryCount: 3))
        guard case .tls = response.error else {
            return #expect(Bool(false), "\(String(describing: response.error))")
        }
        #expect(response.attempts == 1)
        #expect(response.error?.description.contains("--ca FILE") == true)
    }
}
