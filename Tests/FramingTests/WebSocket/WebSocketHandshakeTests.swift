import Testing

@testable import Framing

struct WebSocketHandshakeTests {
    private let key = "dGhlIHNhbXBsZSBub25jZQ=="
    private let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

    @Test func `answers the key of RFC 6455, 1.3`() {
        #expect(WebSocketHandshake.acceptKey(for: key) == accept)
    }

    /// RFC 3174, section 7.3, and the empty message; the last is one block and a bit.
    @Test(arguments: [
        ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
        ),
        (
            String(repeating: "01234567", count: 80), "dea356a2cddd90c7a7ecedc5ebb563934f460452"
        ),
    ])
    func `digests the examples of RFC 3174`(text: String, digest: String) {
        // The last example is repeated ten times over 64 characters.
        #expect(WebSocketHandshake.sha1(Array(text.utf8)) == WebSocketPlay.hex(digest))
    }

    private var request: [String: [String]] {
        [
            "Upgrade": ["WebSocket"], "Connection": ["keep-alive, Upgrade"],
            "Sec-WebSocket-Version": ["13"], "Sec-WebSocket-Key": [key],
            "Sec-WebSocket-Extensions": ["permessage-deflate; client_max_window_bits"],
            "Sec-WebSocket-Protocol": ["chat, superchat"],
        ]
    }

    private var response: [String: [String]] {
        [
            "Upgrade": ["websocket"], "Connection": ["Upgrade"], "Sec-WebSocket-Accept": [accept],
            "Sec-WebSocket-Extensions": ["permessage-deflate"],
            "Sec-WebSocket-Protocol": ["superchat"],
        ]
    }

    private func problems(
        method: String = "GET", _ request: [String: [String]], _ response: [String: [String]]
    ) -> [WebSocketHandshakeProblem] {
        WebSocketHandshake.problems(
            method: method, request: { request[$0] ?? [] }, response: { response[$0] ?? [] })
    }

    @Test func `finds nothing wrong with a right handshake`() {
        #expect(problems(request, response).isEmpty)
        let response = response
        #expect(WebSocketHandshake.opens(status: 101) { response[$0] ?? [] })
        #expect(!WebSocketHandshake.opens(status: 200) { response[$0] ?? [] })
        #expect(!WebSocketHandshake.opens(status: 101) { _ in ["h2c"] })
    }

    @Test func `finds everything wrong with a wrong handshake`() {
        #expect(problems(method: "POST", request, response) == [.method])
        #expect(
            problems([:], [:]) == [
                .requestUpgrade, .requestConnection, .version, .key, .responseUpgrade,
                .responseConnection,
            ])
        var changed = response
        changed["Sec-WebSocket-Accept"] = ["AAAA"]
        changed["Sec-WebSocket-Extensions"] = ["permessage-deflate, x-other"]
        changed["Sec-WebSocket-Protocol"] = ["none"]
        #expect(
            problems(request, changed) == [.accept, .extensionNotOffered, .protocolNotOffered])
    }

    @Test(arguments: [
        ("dGhlIHNhbXBsZSBub25jZQ==", true), ("dGhlIHNhbXBsZSBub25jZQ=", false), ("", false),
        ("dGhlIHNhbXBsZSBub25jZ!==", false), ("dGhlIHNhbXBsZSBub25jZQAA", false),
    ])
    func `knows a key`(text: String, isKey: Bool) {
        #expect(WebSocketHandshake.isKey(text) == isKey)
    }
}
