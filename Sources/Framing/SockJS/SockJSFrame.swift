/// What a SockJS server sends in one WebSocket message.
///
/// Only sockets at `/BASE/SERVER/SESSION/websocket` carry such frames; at `/BASE/websocket`
/// messages go as they are. Source: SockJS protocol 0.3.3, "Protocol and framing".
public enum SockJSFrame: Hashable, Sendable {
    /// `o`: the session is open.
    case open
    /// `h`: the server is alive. Not a heartbeat of the protocol inside SockJS.
    case heartbeat
    /// `a["…","…"]`, or `m"…"` of older servers: messages.
    case messages([SockJSMessage])
    /// `c[3000,"Go away!"]`: the session is closed.
    case close(code: Int, reason: SockJSMessage)

    /// Greatest number of messages in one frame, in either direction.
    public static let maxMessages = 65_536

    /// Reads a frame of a server.
    ///
    /// - Parameter frame: The payload of the WebSocket message, unmasked and inflated.
    /// - Returns: The frame.
    /// - Throws: ``SockJSError``, with the offset of the error.
    public static func parse(
        server frame: borrowing Span<UInt8>
    ) throws(SockJSError) -> SockJSFrame {
        guard !frame.isEmpty else { throw .unexpectedEnd(offset: 0) }
        var index = 1
        let result: SockJSFrame
        switch frame[0] {
        case UInt8(ascii: "o"):
            result = .open
        case UInt8(ascii: "h"):
            result = .heartbeat
        case UInt8(ascii: "a"):
            result = .messages(try SockJSScanner.strings(frame, &index))
        case UInt8(ascii: "m"):
            SockJSScanner.skipSpace(frame, &index)
            result = .messages([try SockJSScanner.string(frame, &index)])
        case UInt8(ascii: "c"):
            result = try close(frame, &index)
        case let byte:
            throw .unknownFrame(byte)
        }
        try SockJSScanner.expectEnd(frame, index)
        return result
    }

    /// Reads what a client sends in one WebSocket message: an array of strings, or one string.
    ///
    /// Nothing is not a message, as SockJS servers take it.
    ///
    /// - Parameter frame: The payload of the WebSocket message, unmasked and inflated.
    /// - Returns: The messages in order.
    /// - Throws: ``SockJSError``, with the offset of the error.
    public static func parse(
        client frame: borrowing Span<UInt8>
    ) throws(SockJSError) -> [SockJSMessage] {
        var index = 0
        SockJSScanner.skipSpace(frame, &index)
        guard index < frame.count else { return [] }
        let messages: [SockJSMessage] =
            if frame[index] == UInt8(ascii: "\"") {
                [try SockJSScanner.string(frame, &index)]
            } else {
                try SockJSScanner.strings(frame, &index)
            }
        try SockJSScanner.expectEnd(frame, index)
        return messages
    }

    private static func close(
        _ frame: borrowing Span<UInt8>, _ index: inout Int
    ) throws(SockJSError) -> SockJSFrame {
        try SockJSScanner.expect(UInt8(ascii: "["), frame, &index)
        let code = try SockJSScanner.integer(frame, &index)
        try SockJSScanner.expect(UInt8(ascii: ","), frame, &index)
        SockJSScanner.skipSpace(frame, &index)
        let reason = try SockJSScanner.string(frame, &index)
        try SockJSScanner.expect(UInt8(ascii: "]"), frame, &index)
        return .close(code: code, reason: reason)
    }
}
