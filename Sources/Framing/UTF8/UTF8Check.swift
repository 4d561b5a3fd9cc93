/// Checks whether bytes that arrive in pieces are well-formed UTF-8, and where they first are not.
///
/// Overlong forms, surrogates and code points above U+10FFFF are ill-formed. How the bytes are cut
/// into pieces makes no difference. Source: RFC 3629, section 4; Unicode, table 3-7.
public struct UTF8Check: Hashable, Sendable {
    /// Number of bytes consumed.
    public private(set) var count: Int64 = 0
    /// Offset in bytes of the first byte of the first ill-formed sequence; nil while there is none.
    ///
    /// A character that the bytes end inside of is not ill-formed yet; see ``isComplete``.
    public private(set) var firstInvalidOffset: Int64?

    /// Bytes still missing of the incomplete character.
    private var pending: UInt8 = 0
    /// Least value of the next continuation byte.
    private var lower: UInt8 = 0x80
    /// Greatest value of the next continuation byte.
    private var upper: UInt8 = 0xBF
    /// Offset of the first byte of the character that was begun.
    private var characterStart: Int64 = 0

    /// A check of no bytes yet.
    public init() {}

    /// Whether the bytes end between two characters.
    public var isComplete: Bool { pending == 0 }

    /// Whether the bytes so far are well-formed and end between two characters.
    public var isValid: Bool { firstInvalidOffset == nil && pending == 0 }

    /// ``firstInvalidOffset`` if no more bytes follow: an incomplete character counts too.
    public var firstInvalidOffsetAtEnd: Int64? {
        firstInvalidOffset ?? (pending == 0 ? nil : characterStart)
    }

    /// Whether `bytes` as a whole are well-formed.
    public static func isValid(_ bytes: borrowing Span<UInt8>) -> Bool {
        var check = UTF8Check()
        check.consume(bytes)
        return check.isValid
    }

    /// Inspects the next bytes; after the first ill-formed sequence they are only counted.
    public mutating func consume(_ bytes: borrowing Span<UInt8>) {
        let base = count
        count += Int64(bytes.count)
        guard firstInvalidOffset == nil else { return }
        let raw = bytes.bytes
        var index = 0
        while index < bytes.count {
            if pending == 0 {
                // Most of the text is ASCII, which 32 bytes at a time show at once, and then eight.
                while index &+ 32 <= bytes.count,
                    Self.word(raw, index) | Self.word(raw, index &+ 8)
                        | Self.word(raw, index &+ 16) | Self.word(raw, index &+ 24) == 0
                {
                    index &+= 32
                }
                while index &+ 8 <= bytes.count, Self.word(raw, index) == 0 { index &+= 8 }
                guard index < bytes.count else { return }
                let byte = bytes[index]
                if byte >= 0x80 {
                    guard begin(byte, at: base + Int64(index)) else { return }
                }
            } else {
                let byte = bytes[index]
                guard byte >= lower, byte <= upper else {
                    firstInvalidOffset = characterStart
                    pending = 0
                    return
                }
                pending -= 1
                lower = 0x80
                upper = 0xBF
            }
            index &+= 1
        }
    }

    /// The bits of eight bytes by which characters outside ASCII differ.
    ///
    /// They have to be within `bytes`.
    @inline(__always)
    private static func word(_ bytes: borrowing RawSpan, _ index: Int) -> UInt64 {
        bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080
    }

    /// Takes the first byte of a character outside ASCII; false where no character begins with it.
    private mutating func begin(_ byte: UInt8, at offset: Int64) -> Bool {
        switch byte {
        case 0xC2...0xDF: pending = 1
        case 0xE0...0xEF: pending = 2
        case 0xF0...0xF4: pending = 3
        default:
            firstInvalidOffset = offset
            return false
        }
        switch byte {
        case 0xE0: lower = 0xA0
        case 0xED: upper = 0x9F
        case 0xF0: lower = 0x90
        case 0xF4: upper = 0x8F
        default: break
        }
        characterStart = offset
        return true
    }
}
