/// Why the text of a WebSocket message is not a SockJS frame; offsets are bytes in that text.
public enum SockJSError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text begins with none of `o`, `h`, `a`, `m` and `c`.
    case unknownFrame(UInt8)
    /// Byte `value` is not allowed at `offset`.
    case unexpected(value: UInt8, offset: Int)
    /// The text ends at `offset`, where more is needed.
    case unexpectedEnd(offset: Int)
    /// A string holds an unescaped control character.
    case controlCharacter(offset: Int)
    /// An escape is none of JSON's.
    case badEscape(offset: Int)
    /// A string is not UTF-8.
    case notUTF8(offset: Int)
    /// A close code is not a whole number that fits in 32 bits.
    case badCode(offset: Int)
    /// There are more messages in the frame than ``SockJSFrame/maxMessages``.
    case tooManyMessages(offset: Int)

    /// Offset of the invalid byte.
    public var offset: Int {
        switch self {
        case .unknownFrame: 0
        case .unexpected(_, let offset), .unexpectedEnd(let offset), .controlCharacter(let offset),
            .badEscape(let offset), .notUTF8(let offset), .badCode(let offset),
            .tooManyMessages(let offset):
            offset
        }
    }

    /// The error, as text.
    public var description: String {
        let what =
            switch self {
            case .unknownFrame: "no SockJS frame begins like this"
            case .unexpected: "this is not allowed here"
            case .unexpectedEnd: "the frame ends too early"
            case .controlCharacter: "an unescaped control character in a string"
            case .badEscape: "not an escape of JSON"
            case .notUTF8: "not UTF-8"
            case .badCode: "not a close code"
            case .tooManyMessages: "too many messages"
            }
        return "\(what) (byte \(offset))"
    }
}
