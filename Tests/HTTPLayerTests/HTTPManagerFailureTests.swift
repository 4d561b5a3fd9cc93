import Testing

@testable import HTTPLayer

extension HTTPManagerTests {
    @Test func `repeats after 5xx and not after 4xx`() async throws {
        let server = TestServer { request, number in
            request.target == "/no" ? .status(404) : .status(number < 3 ? 503 : 201)
        }
        defer { server.stop() }
        let manager = Self.manager()
        let late = await manager.response(to: try Self.get(server.url + "/late", retryCount: 5))
        #expect(late.metadata?.status == 201)
        #expect(late.attempts == 3)
        let no = await manager.response(to: try Self.get(server.url + "/no", retryCount: 5))
        #expect(no.metadata?.status == 404)
        #expect(no.error == nil)
        #expect(!no.isSuccess)
        #expect(no.attempts == 1)
    }

    @Test func `gives the last answer when the retries are used up`() async throws {
        let server = TestServer { _, number in .status(500 + number) }
        defer { server.stop() }
        let response = await Self.manager().response(to: try Self.get(server.url, retryCount: 2))
        #expect(response.metadata?.status == 503)
        #expect(response.error == nil)
        #expect(response.attempts == 3)
    }

    /// Proves: H-12.
    @Test func `repeats refused and broken connections`() async throws {
        let server = TestServer { _, _ in .close }
        defer { server.stop() }
        let manager = Self.manager()
        let broken = await manager.response(to: try Self.get(server.url, retryCount: 2))
        guard case .aborted = broken.error else {
            return #expect(Bool(false), "\(String(describing: broken.error))")
        }
        #expect(broken.attempts == 3)
        #expect(server.requests.count == 3)
        let dead = "http://127.0.0.1:\(TestServer.deadPort())/"
        let refused = await manager.response(to: try Self.get(dead, retryCount: 15))
        guard case .connect = refused.error else {
            return #expect(Bool(false), "\(String(describing: refused.error))")
        }
        #expect(refused.attempts == 16)
        #expect(refused.metadata == nil)
    }

    @Test func `tells failures apart`() async throws {
        let server = TestServer { _, _ in .hold }
        defer { server.stop() }
        let manager = Self.manager()
        var slow = try Self.get(server.url)
        slow.timeout = .milliseconds(50)
        guard case .timeout = await manager.response(to: slow).error else {
            return #expect(Bool(false), "a timeout")
        }
        let name = try Self.get("http://nowhere.invalid/")
        guard case .resolve = await manager.response(to: name).error else {
            return #expect(Bool(false), "no such name")
        }
        let plain = TestServer { _, _ in .send(Array("HTTP/1.1 400 no\r\n\r\n".utf8)) }
        defer { plain.stop() }
        let bad = try Self.get("ftp://x")
        #expect(await manager.response(to: bad).error == .badURL("ftp://x"))
        #expect(await manager.response(to: bad).attempts == 0)
    }
}
