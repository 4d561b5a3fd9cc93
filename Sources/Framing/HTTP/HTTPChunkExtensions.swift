/// Checks the extensions of a chunk, which no recipient has to understand, by their grammar.
///
/// `*( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] )`, where a value is a token or a
/// quoted string. Source: RFC 9112, 7.1.1.
struct HTTPChunkExtensions: Sendable {
    private enum State {
        /// Before the first byte of a name.
        case nameStart
        case name
        /// In whitespace after a name.
        case nameEnd
        /// Before the first byte of a value.
        case valueStart
        case value
        case quoted
        /// After a backslash in a quoted string.
        case escaped
        /// After a value.
        case valueEnd
        /// The grammar is broken.
        case broken
    }

    private var state = State.nameStart

    /// Begins after the semicolon that precedes a name.
    init() {}

    /// Whether all of it keeps the grammar, if it ends here.
    var isValid: Bool {
        switch state {
        case .name, .nameEnd, .value, .valueEnd: true
        case .nameStart, .valueStart, .quoted, .escaped, .broken: false
        }
    }

    /// Processes the next byte; no CR or LF of a line ending.
    mutating func take(_ byte: UInt8) {
        state =
            switch state {
            case .nameStart: byte.isSpace ? .nameStart : byte.isToken ? .name : .broken
            case .name: byte.isToken ? .name : afterName(byte)
            case .nameEnd: afterName(byte)
            case .valueStart:
                byte.isSpace
                    ? .valueStart : byte == 0x22 ? .quoted : byte.isToken ? .value : .broken
            case .value: byte.isToken ? .value : afterValue(byte)
            case .valueEnd: afterValue(byte)
            case .quoted:
                byte == 0x22
                    ? .valueEnd
                    : byte == 0x5C ? .escaped : Self.isQuotable(byte) ? .quoted : .broken
            case .escaped: Self.isQuotable(byte) ? .quoted : .broken
            case .broken: .broken
            }
    }

    private func afterName(_ byte: UInt8) -> State {
        switch byte {
        case 0x20, 0x09: .nameEnd
        case 0x3D: .valueStart
        case 0x3B: .nameStart
        default: .broken
        }
    }

    private func afterValue(_ byte: UInt8) -> State {
        switch byte {
        case 0x20, 0x09: .valueEnd
        case 0x3B: .nameStart
        default: .broken
        }
    }

    /// Whether a quoted string may have the byte.
    private static func isQuotable(_ byte: UInt8) -> Bool {
        byte == 0x09 || byte >= 0x20 && byte != 0x7F
    }
}
