import Notation
import Platform
import Synchronization
import Testing
import Wire

@testable import HTTPLayer

/// Serialised because one of them counts the threads of the process.
@Suite(.serialized) struct HTTPManagerTests {
    static func manager(
        width: Int = 100, _ change: (inout HTTPSettings) -> Void = { _ in }
    ) -> HTTPManager {
        var settings = HTTPSettings()
        settings.width = width
        settings.backoff = .none
        settings.proxy = ""
        change(&settings)
        return HTTPManager(settings)
    }

    static func get(_ url: String, retryCount: Int = 0) throws -> Request {
        var request = try Request(url: url, retryCount: retryCount)
        request.requestType = .get
        return request
    }

    static func post(_ url: String, _ text: String = "") throws -> Request {
        var request = try Request(url: url, retryCount: 0)
        request.requestBody = .bytes(Array(text.utf8))
        return request
    }

    /// Returns once the manager has heard all it was told so far.
    static func settle(_ manager: HTTPManager) async {
        await withCheckedContinuation { continuation in
            // Refused where it is heard, after all that was said before.
            guard let request = try? Request(url: "") else { return continuation.resume() }
            manager.add(request) { _ in continuation.resume() }
        }
    }

    static func temporaryPath() -> String {
        "\(P_tmpdir)/HTTPLayerTests.\(getpid()).\(UInt64.random(in: 0 ... .max))"
    }

    static func writeFile(_ bytes: [UInt8]) -> String {
        let path = temporaryPath()
        let file = fopen(path, "w")
        _ = bytes.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, file) }
        if let file { fclose(file) }
        return path
    }

    static func readFile(_ path: String) -> [UInt8]? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes.prefix(count))
    }

    /// Proves: H-17.
    @Test func `gets with a query and its own header fields`() async throws {
        let server = TestServer { _, _ in
            .status(200, ["X-Two: a", "x-two: b"], body: Array("hello".utf8))
        }
        defer { server.stop() }
        var request = try Self.get(server.url + "/x?a=1")
        request.payload = ["q": .string("é")]
        request.headers = [("X-Empty", ""), ("user-agent", "mine")]
        request.requestTag = "tag"
        request.requestBody = .bytes([1, 2])
        let response = await Self.manager().response(to: request)
        #expect(response.isSuccess)
        #expect(response.error == nil)
        #expect(response.requestTag == "tag")
        #expect(response.attempts == 1)
        #expect(response.metadata?.status == 200)
        #expect(response.metadata?["X-TWO"] == "a")
        #expect(response.metadata?.headers.map(\.value) == ["5", "a", "b"])
        #expect(response.metadata?.finalURL == server.url + "/x?a=1&q=%C3%A9")
        #expect(response.data == Array("hello".utf8))
        let seen = try #require(server.requests.first)
        #expect(seen.method == "GET")
        #expect(seen.target == "/x?a=1&q=%C3%A9")
        #expect(seen["X-Empty"] == "")
        #expect(seen["User-Agent"] == "mine")
        #expect(seen["Content-Length"] == nil)
        #expect(seen.body.isEmpty)
    }

    @Test(arguments: [true, false])
    func `sends cookies back where it is told to`(keepsCookies: Bool) async throws {
        let server = TestServer { request, number in
            request.target == "/elsewhere"
                ? .ok() : .status(200, number == 1 ? ["Set-Cookie: a=1; Path=/here"] : [])
        }
        defer { server.stop() }
        let manager = Self.manager { $0.keepsCookies = keepsCookies }
        for path in ["/here", "/here", "/elsewhere", "/here"] {
            #expect(await manager.response(to: try Self.get(server.url + path)).isSuccess)
        }
        var exact = try Self.get(server.url + "/here")
        exact.isExact = true
        #expect(await manager.response(to: exact).isSuccess)
        let sent = keepsCookies ? "a=1" : nil
        #expect(server.requests.map { $0["Cookie"] } == [nil, sent, nil, sent, nil])
        // Another manager is another client.
        let other = Self.manager { $0.keepsCookies = keepsCookies }
        _ = await other.response(to: try Self.get(server.url + "/here"))
        #expect(server.requests.last?["Cookie"] == nil)
    }

    @Test func `posts a payload as JSON, unless there is a body`() async throws {
        let server = TestServer { _, _ in .ok() }
        defer { server.stop() }
        let manager = Self.manager()
        var request = try Request(url: server.url)
        request.payload = ["b": .number("1"), "a": .string("x")]
        _ = await manager.response(to: request)
        request.headers = [("content-type", "application/vnd.x+json")]
        _ = await manager.response(to: request)
        request.requestBody = .bytes(Array("raw".utf8))
        request.headers = []
        _ = await manager.response(to: request)
        _ = await manager.response(to: try Self.post(server.url))
        let seen = server.requests
        #expect(seen.map(\.method) == ["POST", "POST", "POST", "POST"])
        let json = #"{"a":"x","b":1}"#
        #expect(
            seen.map { String(decoding: $0.body, as: UTF8.self) } == [json, json, "raw", ""])
        #expect(
            seen.map { $0["Content-Type"] }
                == ["application/json", "application/vnd.x+json", nil, nil])
        #expect(seen.map { $0["Content-Length"] } == ["15", "15", "3", "0"])
        #expect(server.connections == 1)
    }

    @Test func `compresses the body, in memory and from a file`() async throws {
        let server = TestServer { _, _ in .ok() }
        defer { server.stop() }
        let bytes = (0..<300_000).map { UInt8($0 / 7 % 251) }
        let path = Self.writeFile(bytes)
        defer { unlink(path) }
        let manager = Self.manager()
        for body in [Request.Body.bytes(bytes), .file(path: path)] {
            var request = try Request(url: server.url)
            request.requestBody = body
            request.compression = true
            #expect(await manager.response(to: request).isSuccess)
        }
        for seen in server.requests {
            #expect(seen["Content-Encoding"] == "gzip")
            #expect(seen.body.count < bytes.count / 2)
            #expect(inflated(seen.body) == bytes)
        }
        #expect(server.requests.map { $0["Transfer-Encoding"] } == [nil, "chunked"])
    }

    @Test func `streams a file with its size or in chunks`() async throws {
        let server = TestServer { _, _ in .ok() }
        defer { server.stop() }
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let path = Self.writeFile(bytes)
        defer { unlink(path) }
        let manager = Self.manager()
        var request = try Request(url: server.url)
        request.requestBody = .file(path: path)
        _ = await manager.response(to: request)
        request.headers = [("Transfer-Encoding", "chunked")]
        _ = await manager.response(to: request)
        let seen = server.requests
        #expect(seen.map { $0["Content-Length"] } == ["300000", nil])
        #expect(seen.map { $0["Transfer-Encoding"] } == [nil, "chunked"])
        #expect(seen.allSatisfy { $0.body == bytes })
    }

    @Test func `says that a file cannot be read`() async throws {
        var request = try Request(url: "http://127.0.0.1:1")
        request.requestBody = .file(path: "/nowhere/x")
        let response = await Self.manager().response(to: request)
        #expect(
            response.error == .file(path: "/nowhere/x", reason: "No such file or directory"))
        #expect(response.attempts == 1)
    }

    /// Proves: H-21.
    @Test func `undoes content coding and bounds what comes of it`() async throws {
        let coded = Deflater.gzip([UInt8](repeating: 7, count: 100_000))
        let server = TestServer { _, _ in .status(200, ["Content-Encoding: gzip"], body: coded) }
        defer { server.stop() }
        let whole = await Self.manager().response(to: try Self.get(server.url))
        #expect(whole.data == [UInt8](repeating: 7, count: 100_000))
        #expect(server.requests.first?["Accept-Encoding"]?.contains("gzip") == true)
        let bounded = await Self.manager { $0.bodyLimit = 99_999 }
            .response(to: try Self.get(server.url, retryCount: 3))
        #expect(bounded.error == .tooLarge(limit: 99_999))
        #expect(bounded.data.isEmpty)
        #expect(bounded.attempts == 1)
    }

    @Test func `writes the body of a 2xx to a file, past the limit`() async throws {
        let server = TestServer { request, _ in
            switch request.target {
            case "/big": .status(200, body: [UInt8](repeating: 1, count: 100_000))
            case "/empty": .status(204)
            case "/refused": .status(406, body: Array("{}".utf8))
            default: .send(Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf".utf8))
            }
        }
        defer { server.stop() }
        let manager = Self.manager { $0.bodyLimit = 1000 }
        let path = Self.writeFile(Array("older".utf8))
        defer { unlink(path) }
        chmod(path, 0o644)
        var request = try Self.get(server.url + "/refused")
        request.bodyFile = path
        let refused = await manager.response(to: request)
        #expect(refused.data == Array("{}".utf8))
        #expect(Self.readFile(path) == Array("older".utf8))
        request.url = server.url + "/big"
        let big = await manager.response(to: request)
        #expect(big.isSuccess)
        #expect(big.data.isEmpty)
        #expect(Self.readFile(path) == [UInt8](repeating: 1, count: 100_000))
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        request.url = server.url + "/empty"
        _ = await manager.response(to: request)
        #expect(Self.readFile(path) == [])
        request.url = server.url + "/half"
        request.timeout = .milliseconds(50)
        guard case .timeout = await manager.response(to: request).error else {
            return #expect(Bool(false), "a timeout")
        }
        #expect(Self.readFile(path) == nil)
    }
}
