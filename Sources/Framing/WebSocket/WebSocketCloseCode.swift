/// The status codes of close frames.
public enum WebSocketCloseCode {
    /// Whether a peer may send `code` in a close frame.
    ///
    /// 1004, 1005, 1006 and 1015 may not be sent; other codes below 3000 mean something only once
    /// they are registered. Source: RFC 6455, section 7.4; IANA's WebSocket registry for 1012 to 1014.
    public static func maySend(_ code: Int) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }

    /// Writes the payload of a close frame.
    ///
    /// - Parameters:
    ///   - code: In 0...65535; higher bits are dropped.
    ///   - reason: UTF-8; at most 123 bytes make a valid frame.
    /// - Returns: The code, highest byte first, and the reason.
    public static func payload(_ code: Int, reason: String = "") -> [UInt8] {
        [UInt8(truncatingIfNeeded: code >> 8), UInt8(truncatingIfNeeded: code)] + reason.utf8
    }
}
