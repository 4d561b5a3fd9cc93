/// Why no further frames can be found in a stream.
public enum WebSocketError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The frame at `offset` claims a payload of 2^63 bytes or more (RFC 6455, section 5.2).
    case lengthTooLarge(claimed: UInt64, offset: Int64)
    /// The stream ends inside the header of the frame at `offset`.
    case endInsideHeader(offset: Int64)
    /// The stream ends inside the payload of the frame at `offset`, of which `missing` bytes lack.
    case endInsidePayload(missing: Int64, offset: Int64)

    /// Offset in bytes of the frame in the stream of its sender.
    public var offset: Int64 {
        switch self {
        case .lengthTooLarge(_, let offset), .endInsideHeader(let offset),
            .endInsidePayload(_, let offset):
            offset
        }
    }

    /// Stable name: `websocket.` and what happened.
    public var code: String {
        switch self {
        case .lengthTooLarge: "websocket.length-too-large"
        case .endInsideHeader, .endInsidePayload: "websocket.end-inside-frame"
        }
    }

    /// The same as text.
    public var description: String {
        switch self {
        case .lengthTooLarge(let claimed, _):
            "the frame claims a payload of \(claimed) bytes; the highest bit must be 0"
        case .endInsideHeader: "the stream ends inside the header of a frame"
        case .endInsidePayload(let missing, _):
            "the stream ends inside a frame, \(missing) bytes before the end of its payload"
        }
    }
}
