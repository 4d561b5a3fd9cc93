import NIOCore
import NIOPosix
import Replaying
import Synchronization
import Testing
import Wire

@testable import SyncServers

struct ReplayServerTests {
    /// What a server said, and whether it stopped on its own.
    final class Heard: Sendable {
        let notices = Mutex<[String]>([])
        let stops = Mutex(0)
    }

    /// Plays exchanges given as path and response, all of them `GET` or what the path begins with.
    func source(
        _ all: [(path: String, response: RecordedResponse?)], host: String = "www.example.org"
    ) -> ReplaySource {
        let exchanges = all.enumerated().map { index, one in
            let parts = one.path.split(separator: " ")
            return RecordedExchange(
                id: ExchangeID(Int64(index + 1)),
                method: parts.count > 1 ? String(parts[0]) : "GET",
                host: host, path: String(parts.last ?? "/"), status: one.response?.status,
                startedAt: Instant(nanoseconds: 0), respondedAt: Instant(nanoseconds: 50_000_000),
                endedAt: Instant(nanoseconds: 60_000_000))
        }
        let responses = all.map(\.response)
        return ReplaySource(
            exchanges: RecordedExchanges(exchanges), listeners: ["127.0.0.1:1234"],
            response: { responses[Int($0.rawValue) - 1] })
    }

    func ok(_ body: String, _ fields: [(String, String)] = []) -> RecordedResponse {
        RecordedResponse(
            status: 200, reason: "OK", fields: fields.map { .init($0.0, $0.1) },
            body: Array(body.utf8))
    }

    func server(
        _ source: ReplaySource, _ mode: ReplayServer.Mode = .strict,
        pace: ReplayPace = .asFastAsPossible, endsWhenDone: Bool = false, _ heard: Heard = Heard()
    ) async throws -> ReplayServer {
        try await ReplayServer.start(
            source,
            options: .init(
                mode: mode, pace: pace, endsWhenDone: endsWhenDone,
                notice: { text in heard.notices.withLock { $0.append(text) } },
                stopped: { heard.stops.withLock { $0 += 1 } }))
    }

    func talk(
        _ server: ReplayServer, _ text: String, until marker: String = ""
    ) async throws
        -> String
    {
        try await SyncServerTests().talk(server.port, Array(text.utf8), until: marker)
    }

    @Test func `answers pipelined requests in order, and the nth with the nth answer`() async throws
    {
        let server = try await server(
            source([("/a", ok("one")), ("/b", ok("two")), ("/a", ok("three")), ("HEAD /a", ok(""))])
        )
        let text = try await talk(
            server,
            "GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET /a HTTP/1.1\r\nHost: x\r\n\r\n"
                + "HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n"
                + "GET http://elsewhere.org/b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        #expect(
            text
                == "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none"
                + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nthree"
                + "HTTP/1.1 200 OK\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\ntwo")
        let report = await server.stop()
        #expect(report.isSatisfied())
        #expect(report.sections.map(\.matched) == [4])
    }

    @Test func `one byte at a time is the same`() async throws {
        let server = try await server(source([("POST /a", ok("one"))]))
        let group = MultiThreadedEventLoopGroup.singleton
        let done = group.next().makePromise(of: String.self)
        let channel = try await ClientBootstrap(group: group)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        SyncServerTests.Collector(done, until: ""))
                }
            }
            .connect(host: "127.0.0.1", port: server.port).get()
        let text =
            "POST /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "0\r\n\r\n"
        for byte in text.utf8 { try await channel.writeAndFlush(ByteBuffer(bytes: [byte])) }
        #expect(try await done.futureResult.get().hasSuffix("\r\n\r\none"))
        #expect(await server.stop().isSatisfied())
    }

    @Test func `is a proxy that connects to nobody`() async throws {
        let server = try await server(source([("/a", ok("one"))]))
        let text = try await talk(
            server,
            "CONNECT www.example.org:80 HTTP/1.1\r\nHost: www.example.org:80\r\n\r\n"
                + "GET /a HTTP/1.1\r\nHost: www.example.org\r\nConnection: close\r\n\r\n")
        #expect(text.hasPrefix("HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 200 OK\r\n"))
        #expect(text.hasSuffix("\r\n\r\none"))
        await server.stop()
    }

    @Test func `strict stops at what is not recorded and names what comes closest`() async throws {
        let heard = Heard()
        let server = try await server(source([("/a/b", ok("one"))]), .strict, heard)
        let text = try await talk(
            server, "GET /a/c HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        #expect(text.hasPrefix("HTTP/1.1 501 Not Recorded\r\n"))
        #expect(text.contains("GET /a/b"))
        let more = try await talk(server, "GET /a/b HTTP/1.0\r\n\r\n")
        #expect(more.hasPrefix("HTTP/1.1 503 "))
        #expect(heard.stops.withLock { $0 } == 1)
        #expect(heard.notices.withLock { $0 }.first?.contains("/a/b") == true)
        let report = await server.stop()
        #expect(report.sections.map(\.missed) == [1])
        #expect(report.sections.map(\.unused) == [1])
    }

    @Test func `lenient goes on`() async throws {
        let server = try await server(source([("/a", ok("one"))]), .lenient)
        let text = try await talk(
            server,
            "GET /b HTTP/1.1\r\nHost: x\r\n\r\nGET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        )
        #expect(text.hasPrefix("HTTP/1.1 501 "))
        #expect(text.hasSuffix("\r\n\r\none"))
        #expect(await server.stop().isSatisfied(allowsUnused: true) == false)
    }

    @Test func `cuts what was cut, and is silent where nobody answered`() async throws {
        var cut = ok("one", [("Content-Length", "10")])
        cut.isCut = true
        let server = try await server(source([("/cut", cut), ("/none", nil)]))
        let text = try await talk(server, "GET /cut HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(text.hasSuffix("\r\nConnection: close\r\n\r\none"))
        #expect(text.contains("Content-Length: 10\r\n"))
        #expect(try await talk(server, "GET /none HTTP/1.1\r\nHost: x\r\n\r\n") == "")
        #expect(await server.stop().isSatisfied())
    }

    @Test func `asks for a body that a client holds back`() async throws {
        let server = try await server(source([("POST /a", ok("one"))]), .lenient)
        let text = try await talk(
            server,
            "POST /a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n",
            until: "100 Continue\r\n\r\n")
        #expect(text == "HTTP/1.1 100 Continue\r\n\r\n")
        await server.stop()
    }

    @Test func `refuses what is no HTTP`() async throws {
        let server = try await server(source([]))
        #expect(try await talk(server, "nonsense\r\n\r\n").hasPrefix("HTTP/1.1 400 "))
        #expect(try await talk(server, "GET ftp://x/ HTTP/1.1\r\n\r\n").hasPrefix("HTTP/1.1 400 "))
        #expect(
            try await talk(server, "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n")
                .hasPrefix("HTTP/1.1 400 "))
        let report = await server.stop()
        #expect(report.isIdle && report.isEmpty)
    }

    @Test func `leads to itself, and not a client that comes through it`() async throws {
        let moved = ok("", [("Location", "http://127.0.0.1:1234/there")])
        let other = ok("", [("Location", "https://www.example.org/there")])
        let server = try await server(source([("/1", moved), ("/2", other), ("/3", other)]))
        let text = try await talk(
            server,
            "GET /1 HTTP/1.1\r\nHost: me:99\r\n\r\nGET /2 HTTP/1.1\r\nHost: me:99\r\n\r\n"
                + "GET http://www.example.org/3 HTTP/1.1\r\nHost: www.example.org\r\n"
                + "Connection: close\r\n\r\n")
        let places = text.split(separator: "\r\n").filter { $0.hasPrefix("Location") }
        #expect(
            places == [
                "Location: http://me:99/there", "Location: http://me:99/there",
                "Location: https://www.example.org/there",
            ])
        await server.stop()
    }

    @Test func `keeps the order of answers at a pace`() async throws {
        let server = try await server(
            source([("/a", ok("one")), ("/b", ok("two"))]), .strict, pace: .times(2))
        let text = try await talk(
            server,
            "GET /b HTTP/1.1\r\nHost: x\r\n\r\nGET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        )
        #expect(text.hasSuffix("one"))
        #expect(text.contains("two"))
        await server.stop()
    }

    @Test func `ends when all was played and the client has gone`() async throws {
        let heard = Heard()
        let server = try await server(
            source([("/a", ok("one")), ("/b", ok("two"))]), .strict, endsWhenDone: true, heard)
        _ = try await talk(server, "GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        #expect(heard.stops.withLock { $0 } == 0)
        _ = try await talk(server, "GET /b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        let report = await server.stop()
        #expect(heard.stops.withLock { $0 } == 1)
        #expect(report.isSatisfied())
    }
}
