/// An oddity of a connection as a whole, or something that ends its decoding.
///
/// Notes about single messages come from the framers and parsers under separate names; the raw
/// values of all are stored in traces and do not change.
public enum ConversationNote: String, Hashable, Sendable, CaseIterable {
    /// A 1xx response before the final one.
    case informational = "http.informational"
    /// A response where no request waits for one, or where missing bytes leave open which one it
    /// answers.
    case responseWithoutRequest = "http.response-without-request"
    /// A response where no request waits for one, after bytes of the client that cannot be framed.
    case responseToUnreadable = "http.response-to-unreadable"
    /// A head of a request that was not finished.
    case headCut = "http.head-cut"
    /// More is open at once than is kept over all connections, so that this is no longer collected.
    case shed = "dissection.shed"
    /// HTTP that cannot be framed; the rest of the direction is not decoded.
    case httpFailed = "http.failed"
    /// More bytes after a request to change the protocol than are kept until its answer.
    case heldTooMuch = "http.held-too-much"
    /// The first bytes of the connection or tunnel are not HTTP request.
    case unknownStream = "stream.unknown"
    /// Frames that cannot be read; the rest of the direction is not decoded.
    case webSocketFailed = "websocket.failed"
    /// A start line was found after missing bytes, and what follows is decoded again.
    case httpResynchronised = "http.resynchronised"
    /// A connection that uses HTTP/2, which is not decoded.
    case http2NotDecoded = "http2.not-decoded"
    /// TLS of a captured connection that there are no keys for.
    case tlsEncrypted = "tls.encrypted"
    /// Frames were found after missing bytes, and what follows is decoded again.
    case webSocketResynchronised = "websocket.resynchronised"
    /// The body of a 406 is not the JSON with two elements that clients show to the user.
    case actionableMalformed = "openrosa.406-malformed"
    /// A message that is not a SockJS frame on a SockJS connection.
    case sockJSMalformed = "sockjs.malformed"
}
