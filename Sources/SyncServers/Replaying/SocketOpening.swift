internal import Framing
internal import Replaying

/// The answer that opens a WebSocket: the recorded one, adapted to the live client's request.
///
/// Source: RFC 6455, 4.2.2; RFC 7692, 7.1.
struct SocketOpening {
    /// The answer as it is sent.
    private(set) var bytes: [UInt8] = []
    /// How messages are compressed; nil where the client did not offer it.
    let compression: PerMessageDeflate?

    /// The answer to the request that begins with `head`.
    init(_ head: HTTPHead, recorded: RecordedResponse?) {
        let compression = PerMessageDeflate.accepting(
            requestExtensions: head.values(of: "sec-websocket-extensions"))
        self.compression = compression
        let key = head.value(of: "sec-websocket-key") ?? ""
        let offered = head.values(of: "sec-websocket-protocol").flatMap {
            $0.split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } }
        }
        var lines = [
            "HTTP/1.1 101 \(recorded?.reason ?? "Switching Protocols")", "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Accept: \(WebSocketHandshake.acceptKey(for: key))",
        ]
        if let compression {
            lines.append("Sec-WebSocket-Extensions: \(compression.fieldValue)")
        }
        for field in recorded?.fields ?? [] {
            switch field.name.lowercased() {
            case "upgrade", "connection", "sec-websocket-accept", "sec-websocket-extensions",
                "content-length", "transfer-encoding":
                continue
            case "sec-websocket-protocol" where !offered.contains(field.value): continue
            default: lines.append("\(field.name): \(field.value)")
            }
        }
        bytes = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }
}
