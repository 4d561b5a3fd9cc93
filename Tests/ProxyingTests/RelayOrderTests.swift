import Testing
import Wire

@testable import Proxying

/// What worlds of connections found: bytes that stood in the trace in another order than they came,
/// or as somebody else's.
@Suite struct RelayOrderTests {
    private static let first = "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n"
    private static let second = "GET http://b.example/ HTTP/1.1\r\nHost: b.example\r\n\r\n"

    @Test(arguments: [1, 7, first.utf8.count + 9, 1_000])
    func `keeps what waits before what comes when a server cannot be reached`(size: Int) {
        var book = Playbook()
        let bytes = Array((Self.first + Self.second + "more").utf8)
        var rest = bytes[...]
        while !rest.isEmpty {
            _ = book.steps(after: .received(Playbook.client, Array(rest.prefix(size))))
            rest = rest.dropFirst(size)
            if rest.count < Self.second.utf8.count, rest.count + size >= Self.second.utf8.count {
                _ = book.steps(after: .refused(LegID(2), "Connection refused"))
            }
        }
        _ = book.steps(after: .refused(LegID(2), "Connection refused"))
        _ = book.steps(after: .closed(Playbook.client, isReset: false, "closed"))
        let recorded = book.records.flatMap { record -> [UInt8] in
            guard case .chunk(let chunk) = record, chunk.sender == .client else { return [] }
            return chunk.bytes
        }
        #expect(String(decoding: recorded, as: UTF8.self) == String(decoding: bytes, as: UTF8.self))
    }

    @Test(arguments: ["GET / HTTP/1.1\r\nHost: origin.example\r\n\r\n", "\u{1}\u{2}"])
    func `knows its own bytes where a connection begins with them`(text: String) {
        let server = ServerAddress(host: "origin.example", port: 80, isTLS: false)
        var book = Playbook(.reverse(server))
        _ = book.steps(after: .made(Playbook.client, Array(text.utf8)))
        #expect(book.chunks == ["tapedeck: \(text)"])
    }

    @Test func `a WebSocket may be asked for behind a request to another server`() {
        var play = Playbook()
        let upgrade =
            "GET http://b.example/ HTTP/1.1\r\nHost: b.example\r\nConnection: Upgrade\r\n"
            + "Upgrade: websocket\r\n\r\n"
        play.client(Self.first + upgrade, .connect(2, "a.example:80"), .pause)
        let sent = "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"
        play.on(.ready(LegID(2)), .send(2, sent))
        let answer = "HTTP/1.1 204 No Content\r\n\r\n"
        play.server(
            2, answer, .send(1, answer), .connect(3, "b.example:80"), .resume)
        _ = play.steps(after: .ready(LegID(3)))
        play.client("frame", .pause)
        let agreed =
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
            + "Upgrade: websocket\r\n\r\n"
        play.server(3, agreed, .send(1, agreed), .send(3, "frame"), .resume)
    }

    @Test func `what waits goes on before what comes when another protocol begins unasked`() {
        var play = Playbook()
        play.client(Self.first, .connect(2, "a.example:80"))
        _ = play.steps(after: .ready(LegID(2)))
        play.client(Self.second, .pause)
        let switching = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"
        play.server(2, switching, .send(1, switching), .send(2, Self.second), .resume)
        play.client("more", .send(2, "more"))
    }

    @Test func `what a server sends to a client that has gone stands in the trace as it came`() {
        var play = Playbook(.reverse(ServerAddress(host: "o.example", port: 80, isTLS: false)))
        let request = "GET / HTTP/1.1\r\nHost: o.example\r\n\r\n"
        play.client(request, .connect(2, "o.example:80"))
        play.on(.ready(LegID(2)), .send(2, request))
        // Held, since the rest of the head may have to be rewritten.
        play.server(2, "HTTP/1.1 200 OK\r\nLoca")
        play.on(.closed(Playbook.client, isReset: true, "reset"), .reset(2))
        play.server(2, "tion: /\r\n\r\n")
        play.on(.closed(LegID(2), isReset: false, "closed"))
        #expect(
            play.chunks == [
                "client: \(request)", "server: HTTP/1.1 200 OK\r\nLoca", "server: tion: /\r\n\r\n",
            ])
    }
}
