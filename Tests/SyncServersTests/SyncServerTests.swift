import NIOCore
import NIOPosix
import Testing

@testable import SyncServers

struct SyncServerTests {
    /// Collects everything a server sends until it closes or `marker` came.
    final class Collector: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private var text: [UInt8] = []
        private let done: EventLoopPromise<String>
        private let marker: [UInt8]

        init(_ done: EventLoopPromise<String>, until marker: String) {
            self.done = done
            self.marker = Array(marker.utf8)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            text.append(contentsOf: Self.unwrapInboundIn(data).readableBytesView)
            if !marker.isEmpty, text.suffix(marker.count).elementsEqual(marker) {
                context.close(promise: nil)
            }
        }

        func channelInactive(context: ChannelHandlerContext) {
            done.succeed(String(decoding: text, as: UTF8.self))
        }
    }

    /// Sends bytes and gives what came back.
    func talk(_ port: Int, _ bytes: [UInt8], until marker: String = "") async throws -> String {
        let group = MultiThreadedEventLoopGroup.singleton
        let done = group.next().makePromise(of: String.self)
        let channel = try await ClientBootstrap(group: group)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Collector(done, until: marker))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
        return try await done.futureResult.get()
    }

    @Test func `serves HTTP, pipelined`() async throws {
        let server = try await SyncServer.start()
        let text = try await talk(
            server.port,
            Array(
                "GET /formList HTTP/1.1\r\nHost: a\r\n\r\nHEAD /a/d/receiver/ HTTP/1.1\r\nHost: a\r\n\r\nGET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                    .utf8))
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(text.contains("HTTP/1.1 204 No Content\r\n"))
        #expect(text.contains("HTTP/1.1 404 Not Found\r\n"))
        await server.stop()
    }

    @Test func `sets a cookie until it comes back`() async throws {
        var options = SyncServer.Options()
        options.cookie = "a=1"
        let server = try await SyncServer.start(options: options)
        let text = try await talk(
            server.port,
            Array(
                "GET /formList HTTP/1.1\r\nHost: a\r\n\r\nGET /formList HTTP/1.1\r\nHost: a\r\nCookie: b=2; a=1\r\n\r\nGET /formList HTTP/1.1\r\nHost: a\r\nCookie: ba=1\r\nConnection: close\r\n\r\n"
                    .utf8))
        let answers = text.split(separator: "HTTP/1.1 200 OK")
        #expect(
            answers.map { $0.contains("\r\nSet-Cookie: a=1; Path=/; HttpOnly\r\n") }
                == [true, false, true])
        await server.stop()
    }

    @Test func `asks for a body that a client holds back`() async throws {
        let server = try await SyncServer.start()
        let text = try await talk(
            server.port,
            Array(
                "POST /a/d/receiver/ HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n"
                    .utf8), until: "\r\n\r\n")
        #expect(text == "HTTP/1.1 100 Continue\r\n\r\n")
        await server.stop()
    }

    @Test func `does not wait for a body that is too large`() async throws {
        let server = try await SyncServer.start()
        let text = try await talk(
            server.port,
            Array(
                "POST /a/d/receiver/ HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n"
                    .utf8))
        #expect(text.hasPrefix("HTTP/1.1 413 "))
        await server.stop()
    }

    @Test(arguments: [
        "GARBAGE\r\n\r\n", "GET / HTTP/1.1\r\nbad header\r\n\r\n", "\u{16}\u{3}\u{1}\r\n\r\n",
    ])
    func `closes on garbage`(bytes: String) async throws {
        let server = try await SyncServer.start()
        let text = try await talk(server.port, Array(bytes.utf8))
        #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 400 "))
        await server.stop()
    }

    @Test func `speaks Simperium over a WebSocket`() async throws {
        let server = try await SyncServer.start()
        let head =
            "GET /sock/1/app/websocket HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n"
            + "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            + "Sec-WebSocket-Version: 13\r\n\r\n"
        // `h:0`, masked with zeros, in the same write as the request.
        let frame: [UInt8] = [0x81, 0x83, 0, 0, 0, 0] + Array("h:0".utf8)
        let text = try await talk(server.port, Array(head.utf8) + frame, until: "h:1")
        #expect(text.hasPrefix("HTTP/1.1 101 Switching Protocols\r\n"))
        // The accept of the key in RFC 6455, 1.3.
        #expect(text.lowercased().contains("sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo="))
        #expect(text.hasSuffix("\u{03}h:1"))
        await server.stop()
    }

    @Test func `closes a socket whose client does not mask its frames`() async throws {
        let server = try await SyncServer.start()
        let head =
            "GET /sock/1/app/websocket HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n"
            + "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            + "Sec-WebSocket-Version: 13\r\n\r\n"
        let text = try await talk(
            server.port, Array(head.utf8) + [0x81, 0x03] + Array("h:0".utf8), until: "frames")
        // RFC 6455, 5.1: a server fails the connection, with 1002.
        #expect(text.hasSuffix("\u{03}\u{FFFD}A client has to mask its frames"))
        #expect(!text.contains("h:1"))
        await server.stop()
    }

    @Test(
        arguments: [
            ("Host: 127.0.0.1:PORT\r\n", "200"), ("Host: LOCALHOST:PORT\r\n", "200"),
            ("Host: [::1]:PORT\r\nOrigin: http://localhost:PORT\r\n", "200"),
            ("Host: 127.0.0.1:PORT\r\nOrigin: https://127.0.0.1:PORT\r\n", "200"),
            ("Host: evil.example:PORT\r\n", "421"), ("Host: 127.0.0.1\r\n", "421"), ("", "421"),
            ("Host: 127.0.0.1:PORT\r\nHost: evil.example\r\n", "421"),
            ("Host: 127.0.0.1:PORT\r\nOrigin: http://evil.example\r\n", "403"),
            ("Host: 127.0.0.1:PORT\r\nOrigin: null\r\n", "403"),
        ])
    func `answers the admin only under its own name and to no other site`(
        fields: String, status: String
    ) async throws {
        var options = SyncServer.Options()
        options.adminToken = "secret"
        let server = try await SyncServer.start(options: options)
        let text = try await talk(
            server.port,
            Array(
                ("GET /admin/connections HTTP/1.1\r\n"
                    + fields.replacing("PORT", with: String(server.port))
                    + "Authorization: Bearer secret\r\nConnection: close\r\n\r\n").utf8))
        #expect(text.hasPrefix("HTTP/1.1 \(status) "))
        await server.stop()
    }

    @Test func `does not upgrade other paths`() async throws {
        let server = try await SyncServer.start()
        let text = try await talk(
            server.port,
            Array(
                "GET /elsewhere HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade, close\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
                    .utf8), until: "path")
        #expect(text.hasPrefix("HTTP/1.1 404 "))
        await server.stop()
    }

    @Test func `says when the port is taken`() async throws {
        let server = try await SyncServer.start()
        await #expect(throws: SyncServerError(.addressInUse, "")) {
            try await SyncServer.start(port: server.port)
        }
        await server.stop()
        await #expect(throws: SyncServerError(.badAddress, "")) {
            try await SyncServer.start(host: "192.0.2.1")
        }
    }
}

@available(*, unavailable)
extension SyncServerTests.Collector: Sendable {}
