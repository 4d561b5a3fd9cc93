import Framing
import Testing

@testable import SyncClients

@Suite struct WebSocketReaderTests {
    private static let key = "dGhlIHNhbXBsZSBub25jZQ=="

    private static func answer(_ more: String = "") -> [UInt8] {
        Array(
            ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\(more)\r\n").utf8)
    }

    /// What came, without the heads.
    private static func lines(_ events: [WebSocketReader.Event]) -> [String] {
        events.map { event in
            switch event {
            case .opened: "opened"
            case .refused(let head): "refused \(head.status ?? 0)"
            case .message(let isText, let payload):
                (isText ? "text " : "binary ") + String(decoding: payload, as: UTF8.self)
            case .ping: "ping"
            case .closed(let code, let reason): "closed \(code ?? 0) \(reason)"
            case .ended(let reason): reason
            }
        }
    }

    @Test(arguments: [1, 2, 5, 1_000])
    func `inflates, however the stream is cut`(size: Int) throws {
        let deflater = try #require(MessageDeflater())
        func frame(_ opcode: WebSocketOpcode, _ text: String) -> [UInt8] {
            let payload = Array(text.utf8)
            return WebSocketFrameEncoder.encode(
                opcode: opcode, payload: deflater.deflate(payload.span), rsv: 4)
        }
        let bytes =
            Self.answer("Sec-WebSocket-Extensions: permessage-deflate\r\n")
            + frame(.text, "hello, hello") + frame(.binary, "hello, hello")
            + WebSocketFrameEncoder.encode(
                opcode: .close, payload: WebSocketCloseCode.payload(4001, reason: "bye"))
        var reader = WebSocketReader(key: Self.key, isDeflateOffered: true)
        var events: [WebSocketReader.Event] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            events += reader.consume(Array(bytes[start..<min(start + size, bytes.count)]))
        }
        events += reader.endOfStream()
        #expect(
            Self.lines(events) == [
                "opened", "text hello, hello", "binary hello, hello", "closed 4001 bye",
            ])
        #expect(reader.compression == PerMessageDeflate())
    }

    @Test(arguments: [
        ("Sec-WebSocket-Extensions: permessage-deflate\r\n", false, false),
        ("Sec-WebSocket-Extensions: permessage-deflate\r\n", true, true),
        ("Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=7\r\n", true, false),
        ("Sec-WebSocket-Extensions: permessage-deflate, x-other\r\n", true, false),
        ("Sec-WebSocket-Extensions: x-other\r\n", true, false),
        ("", true, true),
    ])
    func `accepts what was offered and nothing else`(more: String, offered: Bool, isWell: Bool) {
        var reader = WebSocketReader(key: Self.key, isDeflateOffered: offered)
        let lines = Self.lines(reader.consume(Self.answer(more)))
        #expect(lines == [isWell ? "opened" : "the server's answer is not a WebSocket handshake"])
    }

    @Test func `a refusal and a close without a code`() {
        var reader = WebSocketReader(key: Self.key, isDeflateOffered: false)
        let refusal = Array("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n".utf8)
        #expect(Self.lines(reader.consume(refusal)) == ["refused 403"])
        #expect(reader.endOfStream() == [])
        var other = WebSocketReader(key: Self.key, isDeflateOffered: false)
        #expect(
            Self.lines(other.consume(Self.answer() + [0x88, 0x00])) == ["opened", "closed 0 "])
    }

    @Test func `a handshake offers deflate alone, and no line comes out of a value`() {
        let target = SimperiumTarget(host: "127.0.0.1", port: 8080, prefix: "/p")
        let handshake = ConversationHandshake(
            path: "/chat?room=a",
            extensions: ["x-other, permessage-deflate; client_max_window_bits", "x-more"],
            fields: [("Cookie", "a=b\r\nX-Evil: 1")], to: target)
        let lines = String(decoding: handshake.bytes, as: UTF8.self).split(
            separator: "\r\n", omittingEmptySubsequences: false)
        #expect(lines.first == "GET /p/chat?room=a HTTP/1.1")
        #expect(lines.contains("Host: 127.0.0.1:8080"))
        #expect(
            lines.contains("Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits"))
        #expect(lines.contains("Cookie: a=bX-Evil: 1"))
        #expect(lines.suffix(2) == ["", ""])
        #expect(handshake.offersDeflate)
    }
}
