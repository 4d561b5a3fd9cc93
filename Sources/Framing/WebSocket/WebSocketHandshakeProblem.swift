/// A rule of the WebSocket handshake that a request or its response broke.
///
/// The raw value is a stable name for programs.
public enum WebSocketHandshakeProblem: String, Hashable, Sendable, CaseIterable {
    /// The method is not GET (RFC 6455, 4.1).
    case method = "websocket.handshake-method"
    /// `Upgrade` of the request does not name websocket (RFC 6455, 4.1).
    case requestUpgrade = "websocket.handshake-request-upgrade"
    /// `Connection` of the request does not name Upgrade (RFC 6455, 4.1).
    case requestConnection = "websocket.handshake-request-connection"
    /// `Sec-WebSocket-Version` is not 13 (RFC 6455, 4.1).
    case version = "websocket.handshake-version"
    /// `Sec-WebSocket-Key` is not the base64 of 16 bytes, once (RFC 6455, 4.1).
    case key = "websocket.handshake-key"
    /// `Upgrade` of the response does not name websocket (RFC 6455, 4.2.2).
    case responseUpgrade = "websocket.handshake-response-upgrade"
    /// `Connection` of the response does not name Upgrade (RFC 6455, 4.2.2).
    case responseConnection = "websocket.handshake-response-connection"
    /// `Sec-WebSocket-Accept` does not answer the key (RFC 6455, 4.2.2).
    case accept = "websocket.handshake-accept"
    /// The response accepts an extension that was not offered (RFC 6455, 4.1).
    case extensionNotOffered = "websocket.handshake-extension"
    /// The response chooses a subprotocol that was not offered, or several (RFC 6455, 4.1).
    case protocolNotOffered = "websocket.handshake-protocol"
}
