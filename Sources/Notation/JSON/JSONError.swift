/// Why bytes are not JSON text, or none that is read.
///
/// Every offset is in bytes, relative to the array that was given to the scanner.
public enum JSONError: Error, Hashable, Sendable {
    /// A byte that is not allowed at its place.
    case unexpectedByte(UInt8, offset: Int)
    /// The text ends before the value does; the offset is its end.
    case endedEarly(offset: Int)
    /// Something other than white space follows the value.
    case trailingBytes(offset: Int)
    /// A number with a leading zero, a bare sign or point, or letters in it.
    case invalidNumber(offset: Int)
    /// A word other than `true`, `false` and `null`: `NaN`, `undefined`, a bare key.
    case invalidLiteral(offset: Int)
    /// A backslash that begins no escape; the offset is the backslash.
    case invalidEscape(offset: Int)
    /// A byte below 0x20 in a string.
    case controlCharacter(UInt8, offset: Int)
    /// Bytes in a string that are not UTF-8; the offset is the first byte of the sequence.
    case invalidUTF8(offset: Int)
    /// Arrays and objects nest deeper than `limit`.
    case tooDeep(limit: Int, offset: Int)
    /// There are more keys and values than `limit`.
    case tooManyValues(limit: Int, offset: Int)
    /// The text is longer than `limit` bytes.
    case tooLong(limit: Int, offset: Int)

    /// The place of the error.
    public var offset: Int {
        switch self {
        case .unexpectedByte(_, let offset), .endedEarly(let offset), .trailingBytes(let offset),
            .invalidNumber(let offset), .invalidLiteral(let offset), .invalidEscape(let offset),
            .controlCharacter(_, let offset), .invalidUTF8(let offset), .tooDeep(_, let offset),
            .tooManyValues(_, let offset), .tooLong(_, let offset):
            offset
        }
    }
}

extension JSONError: CustomStringConvertible {
    /// The same as text, without the offset.
    public var description: String {
        switch self {
        case .unexpectedByte(let byte, _): "unexpected \(Self.name(of: byte)) in JSON"
        case .endedEarly: "JSON ends early"
        case .trailingBytes: "the JSON value has trailing bytes"
        case .invalidNumber: "not a JSON number"
        case .invalidLiteral: "not a JSON value: a word other than true, false and null"
        case .invalidEscape: "unknown escape in a JSON string"
        case .controlCharacter(let byte, _): "bare \(Self.name(of: byte)) in a JSON string"
        case .invalidUTF8: "a JSON string is not UTF-8"
        case .tooDeep(let limit, _): "JSON nests deeper than \(limit)"
        case .tooManyValues(let limit, _): "JSON has more than \(limit) keys and values"
        case .tooLong(let limit, _): "JSON is longer than \(limit) bytes"
        }
    }

    private static func name(of byte: UInt8) -> String {
        guard byte > 0x20, byte < 0x7F else {
            let digits = String(byte, radix: 16, uppercase: true)
            return "byte 0x" + (byte < 0x10 ? "0" : "") + digits
        }
        return "'\(Character(UnicodeScalar(byte)))'"
    }
}
