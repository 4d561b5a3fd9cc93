import Framing

/// How a client of the faulted world connects.
struct SocketWay: Hashable, Sendable {
    /// Whether commands travel in frames of SockJS.
    var isSockJS = false
    /// Whether messages are compressed, and how.
    var compression: PerMessageDeflate?
    /// Whether the client begins with TLS, which the test plays without cryptography.
    var isTLS = false

    /// Ways that differ in everything, for clients in turn.
    static let all = [
        SocketWay(),
        SocketWay(compression: PerMessageDeflate()),
        SocketWay(isSockJS: true),
        SocketWay(
            compression: PerMessageDeflate(
                serverNoContextTakeover: true, clientNoContextTakeover: true)),
        SocketWay(isSockJS: true, compression: PerMessageDeflate()),
        SocketWay(isTLS: true),
    ]

    /// The request of the handshake.
    var request: [UInt8] {
        let path = isSockJS ? "/sock/1/app/000/abcdefgh/websocket" : "/sock/1/app/websocket"
        let extensions = compression.map { "Sec-WebSocket-Extensions: \($0.fieldValue)\r\n" } ?? ""
        return Array(
            """
            GET \(path) HTTP/1.1\r
            Host: simperium.example\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Key: \(Self.key)\r
            Sec-WebSocket-Version: 13\r
            \(extensions)\r

            """.utf8)
    }

    /// What the server answers.
    var response: [UInt8] {
        let extensions = compression.map { "Sec-WebSocket-Extensions: \($0.fieldValue)\r\n" } ?? ""
        return Array(
            """
            HTTP/1.1 101 Switching Protocols\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Accept: \(WebSocketHandshake.acceptKey(for: Self.key))\r
            \(extensions)\r

            """.utf8)
    }

    private static let key = "dGhlIHNhbXBsZSBub25jZQ=="

    /// A ClientHello without extensions (RFC 8446, 4.1.2).
    static let hello: [UInt8] = {
        let body = [3, 3] + [UInt8](repeating: 7, count: 32) + [0, 0, 2, 0x13, 1, 1, 0]
        let count = UInt8(body.count)
        return [22, 3, 1, 0, count + 4, 1, 0, 0, count] + body
    }()
}
