import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import Serving

struct HTTPServerTests {
    /// Runs a test with a server that answers with what was asked, and refuses with the reason.
    private func run(
        _ limits: HTTPServer.Limits = .init(), _ test: (Int) async throws -> Void
    ) async throws {
        var options = HTTPServer.Options()
        options.limits = limits
        let server = try await HTTPServer.start(
            at: .tcp(host: "127.0.0.1", port: 0), options: options
        ) { _ in
            Responder(
                answer: { request in
                    .text(200, "\(request.method) \(request.target) \(request.body.count)\n")
                },
                refuse: { problem, request in
                    .text(418, "\(problem) \(request?.target ?? "-")\n")
                })
        }
        do {
            try await test(server.port)
        } catch {
            await server.close()
            await server.drain(seconds: 5)
            throw error
        }
        await server.close()
        await server.drain(seconds: 5)
    }

    private func bodies(_ text: String) -> [String] {
        text.split(separator: "\r\n\r\n").dropFirst().map { $0.prefix { $0 != "\n" } }
            .map(String.init)
    }

    @Test func `answers in the order of the requests, up to the last`() async throws {
        try await run { port in
            let text = try await talk(
                port,
                "GET /a HTTP/1.1\r\n\r\nPOST /b HTTP/1.1\r\nContent-Length: 2\r\n\r\nxx"
                    + "GET /c HTTP/1.1\r\nConnection: close\r\n\r\nGET /d HTTP/1.1\r\n\r\n")
            #expect(bodies(text) == ["GET /a 0", "POST /b 2", "GET /c 0"])
            #expect(text.matches(of: /\r\nDate: [^\r]+ GMT\r\n/).count == 3)
        }
    }

    @Test(arguments: [
        ("Content-Length: 20\r\n\r\n", String(repeating: "x", count: 20)),
        (
            "Transfer-Encoding: chunked\r\n\r\n",
            "14\r\n\(String(repeating: "x", count: 20))\r\n0\r\n\r\n"
        ),
    ])
    func `reads a body that is too long to its end, and goes on`(
        fields: String, body: String
    ) async throws {
        var limits = HTTPServer.Limits()
        limits.bodyBytes = 10
        limits.drainedBytes = 30
        try await run(limits) { port in
            let text = try await talk(
                port,
                "POST /a HTTP/1.1\r\n\(fields)\(body)"
                    + "GET /b HTTP/1.1\r\nConnection: close\r\n\r\n")
            #expect(bodies(text) == ["longBody(limit: 10) /a", "GET /b 0"])
        }
    }

    @Test(arguments: [
        "Content-Length: 31\r\n\r\n", "Expect: 100-continue\r\nContent-Length: 20\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n1F\r\n\(String(repeating: "x", count: 31))\r\n",
    ])
    func `does not wait for the end of a body that is much too long`(fields: String) async throws {
        var limits = HTTPServer.Limits()
        limits.bodyBytes = 10
        limits.drainedBytes = 30
        try await run(limits) { port in
            let text = try await talk(port, "POST /a HTTP/1.1\r\n\(fields)")
            #expect(bodies(text) == ["longBody(limit: 10) /a"])
            #expect(text.contains("\r\nConnection: close\r\n"))
        }
    }

    @Test func `asks for a body that a client holds back`() async throws {
        try await run { port in
            let head = "POST /a HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n"
            let text = try await talk(port, head, until: "\r\n\r\n")
            #expect(text == "HTTP/1.1 100 Continue\r\n\r\n")
        }
    }

    @Test(arguments: [
        ("GARBAGE\r\n\r\n", "malformed -"),
        ("\u{16}\u{3}\u{1}\r\n\r\n", "malformed -"),
        ("GET / HTTP/1.1\r\nno field\r\n\r\n", "malformed -"),
        (
            "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "malformed -"
        ),
        ("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "malformed -"),
        ("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "malformed -"),
        ("POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "malformed /a"),
        (
            "POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
            "malformed /a"
        ),
        ("GET /\(String(repeating: "x", count: 1000))", "longHead -"),
        ("GET / HTTP/1.1\r\nX: \(String(repeating: "x", count: 1 << 20))", "longHead -"),
        ("GET / HTTP/1.1\r\n\(String(repeating: "x", count: 1000))", "longHead -"),
        ("GET / HTTP/1.1\r\n\(String(repeating: "xx: yyyyyyyy\r\n", count: 40))", "longHead -"),
        ("GET / HTTP/1.1\r\n\(String(repeating: "x:\r\n", count: 51))\r\n", "longHead -"),
    ])
    func `refuses what is no request, or too long a head`(
        bytes: String, reason: String
    ) async throws {
        var limits = HTTPServer.Limits()
        limits.headBytes = 400
        limits.headFields = 50
        try await run(limits) { port in
            let text = try await talk(port, bytes)
            #expect(bodies(text) == [reason])
            #expect(text.contains("\r\nDate: "))
        }
    }

    @Test func `refuses after what was asked before`() async throws {
        try await run { port in
            let text = try await talk(port, "GET /a HTTP/1.1\r\n\r\nGARBAGE\r\n\r\n")
            #expect(bodies(text) == ["GET /a 0", "malformed -"])
        }
    }

    @Test func `accepts no more connections than may be open`() async throws {
        var limits = HTTPServer.Limits()
        limits.connections = 2
        try await run(limits) { port in
            let first = try await connect(port)
            let second = try await connect(port)
            async let third = talk(port, "GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
            for open in [first, second] {
                try await open.channel.writeAndFlush(ByteBuffer(string: "GET /a HTTP/1.1\r\n\r\n"))
                await open.heard(until: "GET /a 0\n")
            }
            try await first.channel.close().get()
            #expect(try await third.hasPrefix("HTTP/1.1 200 OK\r\n"))
            try await second.channel.close().get()
        }
    }

    @Test func `answers what was asked before it is closed`() async throws {
        let (asked, ask) = AsyncStream<Void>.makeStream()
        let (released, release) = AsyncStream<Void>.makeStream()
        let server = try await HTTPServer.start(at: .tcp(host: "127.0.0.1", port: 0)) { _ in
            Responder(answer: { _ in
                ask.yield()
                for await _ in released { break }
                return .text(200, "done")
            })
        }
        // Before the other: it is accepted when that is heard. One that only the kernel has accepted
        // would be reset.
        let idle = try await connect(server.port)
        async let text = talk(server.port, "GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n")
        for await _ in asked { break }
        await server.close()
        async let drained: Void = server.drain(seconds: 60)
        #expect(await idle.ended() == "")
        release.yield()
        await drained
        #expect(try await text.matches(of: /done/).count == 1)
    }

    @Test func `says why it does not listen`() async throws {
        let server = try await HTTPServer.start(at: .tcp(host: "127.0.0.1", port: 0)) { _ in
            Responder(answer: { _ in ServedAnswer(204) })
        }
        await #expect {
            _ = try await Listener.start(at: .tcp(host: "127.0.0.1", port: server.port)) { _ in }
        } throws: { ($0 as? ListenError)?.code == 98 }
        await server.close()
    }
}
