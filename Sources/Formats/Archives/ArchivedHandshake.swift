internal import Crypto
internal import Foundation
internal import Framing
internal import Notation

/// What has to be in the two heads that open a WebSocket, where an archive lacks it.
///
/// Chrome's archives have the heads as sent; others have none of these fields, or those of HTTP/2.
enum ArchivedHandshake {
    /// Whether an exchange is one that opened a WebSocket.
    static func opened(_ exchange: ArchivedExchange) -> Bool {
        exchange.status == 101 || !exchange.messages.isEmpty
    }

    /// Completes the fields of the request that opens a WebSocket.
    static func complete(request fields: inout ArchivedFields, seed: String) {
        if !fields.values("upgrade").contains(where: { $0.lowercased() == "websocket" }) {
            fields.set("Upgrade", "websocket")
        }
        let connection = fields.values("connection").joined(separator: ",").lowercased()
        if !connection.contains("upgrade") { fields.set("Connection", "Upgrade") }
        if !fields.has("sec-websocket-version") { fields.set("Sec-WebSocket-Version", "13") }
        if fields.values("sec-websocket-key").count != 1 {
            fields.set("Sec-WebSocket-Key", key(seed))
        }
    }

    /// Completes the fields of the response that agrees to it.
    static func complete(response fields: inout ArchivedFields, to request: ArchivedFields) {
        if !fields.values("upgrade").contains(where: { $0.lowercased() == "websocket" }) {
            fields.set("Upgrade", "websocket")
        }
        let connection = fields.values("connection").joined(separator: ",").lowercased()
        if !connection.contains("upgrade") { fields.set("Connection", "Upgrade") }
        let key = request.values("sec-websocket-key").first ?? ""
        let accept = WebSocketHandshake.acceptKey(for: key)
        let archived = fields.values("sec-websocket-accept")
        guard archived != [accept] else { return }
        if !archived.isEmpty {
            fields.say("Sec-WebSocket-Accept was replaced: it does not fit the key")
        }
        fields.set("Sec-WebSocket-Accept", accept)
    }

    /// 16 bytes in base64 that follow from `seed`.
    private static func key(_ seed: String) -> String {
        Base64.encode(SHA256.hash(data: Data(seed.utf8)).prefix(16))
    }
}
