/// What the payload of a WebSocket frame is, in 0...15.
///
/// Source: RFC 6455, sections 5.2 and 11.8.
public struct WebSocketOpcode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number as on the wire, in 0...15.
    public let rawValue: UInt8

    /// The opcode with the number in the four low bits of `rawValue`.
    public init(rawValue: UInt8) { self.rawValue = rawValue & 0x0F }

    /// A further fragment of a message.
    public static let continuation = WebSocketOpcode(rawValue: 0)
    /// A message of UTF-8 text, or its first fragment.
    public static let text = WebSocketOpcode(rawValue: 1)
    /// A message of bytes, or its first fragment.
    public static let binary = WebSocketOpcode(rawValue: 2)
    /// The sender closes the connection.
    public static let close = WebSocketOpcode(rawValue: 8)
    /// Requests a pong with the same payload.
    public static let ping = WebSocketOpcode(rawValue: 9)
    /// Answers a ping, or shows that the sender is alive.
    public static let pong = WebSocketOpcode(rawValue: 10)

    /// Whether frames with it are control frames: in one piece, and allowed between fragments.
    public var isControl: Bool { rawValue >= 8 }

    /// Whether the specification gives it no meaning (3...7 and 11...15).
    public var isReserved: Bool { (3...7).contains(rawValue) || rawValue > 10 }

    /// Its name in the specification, or the number.
    public var description: String {
        switch self {
        case .continuation: "continuation"
        case .text: "text"
        case .binary: "binary"
        case .close: "close"
        case .ping: "ping"
        case .pong: "pong"
        default: "opcode \(rawValue)"
        }
    }
}
