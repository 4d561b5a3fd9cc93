internal import Framing
internal import Replaying

/// The request that opens a live WebSocket in place of a recorded one.
///
/// Source: RFC 6455, 4.1; RFC 7692, 5.1.
struct ConversationHandshake: Sendable {
    /// The request as it is sent.
    let bytes: [UInt8]
    /// Its `Sec-WebSocket-Key`.
    let key: String
    /// Whether it offers permessage-deflate.
    let offersDeflate: Bool

    /// The request as recorded, for the live server.
    init(_ opening: WebSocketOpening, to server: SimperiumTarget) {
        self.init(
            path: opening.request.target, extensions: opening.extensions,
            fields: opening.request.fields.map { ($0.name, $0.value) }, to: server)
    }

    /// A request to a server.
    ///
    /// - Parameters:
    ///   - path: Path and query.
    ///   - extensions: Values of `Sec-WebSocket-Extensions`; what is not supported here is not
    ///     offered.
    ///   - fields: Header fields beside those of the handshake.
    ///   - server: The server, whose prefix comes before the path.
    init(
        path: String, extensions: [String], fields: [(name: String, value: String)],
        to server: SimperiumTarget
    ) {
        key = SocketHandler.key()
        let offers = WebSocketExtension.parse(extensions).filter {
            $0.name == PerMessageDeflate.name
        }
        offersDeflate = !offers.isEmpty
        var lines = [
            "GET \(server.prefix + path) HTTP/1.1", "Host: \(server.authority)",
            "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: \(key)",
            "Sec-WebSocket-Version: 13",
        ]
        if offersDeflate {
            let values = offers.map(\.fieldValue).joined(separator: ", ")
            lines.append("Sec-WebSocket-Extensions: \(values)")
        }
        lines += fields.map { "\($0.name): \($0.value)" }
        // What a server gave out may go into a field: no line may begin or end with it.
        let clean = lines.map { line in
            String(String.UnicodeScalarView(line.unicodeScalars.filter { $0.value >= 0x20 }))
        }
        bytes = Array((clean.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }
}

extension WebSocketExtension {
    /// The extension as a header field names it.
    fileprivate var fieldValue: String {
        parameters.reduce(name) { text, parameter in
            "\(text); \(parameter.name)" + (parameter.value.map { "=\($0)" } ?? "")
        }
    }
}
