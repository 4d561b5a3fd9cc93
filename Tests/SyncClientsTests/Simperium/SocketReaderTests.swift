import Framing
import Testing

@testable import SyncClients

@Suite struct SocketReaderTests {
    private static let key = "dGhlIHNhbXBsZSBub25jZQ=="

    private func answer(
        _ accept: String = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", more: String = ""
    )
        -> [UInt8]
    {
        Array(
            ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: \(accept)\r\n\(more)\r\n").utf8)
    }

    private func frame(_ opcode: WebSocketOpcode, _ text: String, fin: Bool = true) -> [UInt8] {
        WebSocketFrameEncoder.encode(opcode: opcode, payload: Array(text.utf8), fin: fin)
    }

    @Test(arguments: [1, 2, 3, 7, 1000])
    func `reads the same however the stream is cut`(size: Int) {
        let bytes =
            answer() + frame(.text, "0:auth:u") + frame(.ping, "p")
            + frame(.text, "0:c", fin: false) + frame(.continuation, ":[]") + frame(.close, "")
            + frame(.text, "late")
        var reader = SocketReader(key: Self.key, isSockJS: false)
        var events: [SocketReader.Event] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            events += reader.consume(Array(bytes[start..<min(start + size, bytes.count)]))
        }
        #expect(
            events + reader.endOfStream() == [
                .opened, .message(Array("0:auth:u".utf8)), .ping(Array("p".utf8)),
                .message(Array("0:c:[]".utf8)), .close([]), .ended("the server closed the socket"),
            ])
    }

    @Test(
        arguments: [
            ([0x03, 0xE9], [0x03, 0xE9]), ([0x0F, 0xA1], [0x0F, 0xA1]),
            // 1005 stands for a Close without a code and is never sent.
            ([0x03, 0xED], [0x03, 0xEA]),
        ] as [([UInt8], [UInt8])])
    func `has a Close answered with its code`(payload: [UInt8], answer: [UInt8]) {
        var reader = SocketReader(key: Self.key, isSockJS: false)
        let close: [UInt8] = [0x88, UInt8(payload.count)] + payload
        let events = reader.consume(self.answer() + close)
        #expect(events.contains(.close(answer)) || events.last == .ended(Self.violation))
        #expect(events.count >= 2)
    }

    private static let violation = "the server's frames violate RFC 6455"

    @Test func `unpacks SockJS`() {
        var reader = SocketReader(key: Self.key, isSockJS: true)
        let bytes =
            answer() + frame(.text, "o") + frame(.text, "h") + frame(.text, #"a["a","b\n"]"#)
            + frame(.text, #"c[3000,"Go away!"]"#)
        #expect(
            reader.consume(bytes) == [
                .opened, .message(Array("a".utf8)), .message(Array("b\n".utf8)),
                .ended("the server closed the SockJS session with 3000: Go away!"),
            ])
    }

    @Test func `refuses what is no handshake`() {
        for bytes in [
            answer("wrong"), answer(more: "Sec-WebSocket-Extensions: permessage-deflate\r\n"),
            Array("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".utf8),
            Array("SSH-2.0-x\r\n\r\n".utf8), Array("HTTP/1.1 101 x\r\n\r\n".utf8),
        ] {
            var reader = SocketReader(key: Self.key, isSockJS: false)
            let events = reader.consume(bytes)
            #expect(events.count == 1)
            guard case .ended? = events.first else { return #expect(Bool(false), "\(events)") }
        }
    }

    @Test(arguments: [
        ("ws://h", "h", 80, false, ""), ("wss://h/", "h", 443, true, ""),
        ("http://h:8/p/", "h", 8, false, "/p"), ("https://[::1]:9/a/b", "::1", 9, true, "/a/b"),
    ])
    func `reads URLs`(url: String, host: String, port: Int, isSecure: Bool, prefix: String) {
        #expect(
            SimperiumTarget(url: url)
                == SimperiumTarget(host: host, port: port, isSecure: isSecure, prefix: prefix))
    }

    @Test(arguments: ["", "h", "ftp://h", "ws://", "ws:///x", "ws://h:0", "ws://h?a", "/x"])
    func `refuses other URLs`(url: String) { #expect(SimperiumTarget(url: url) == nil) }
}
