/// A value of a column, as SQLite keeps it.
package enum StoredValue: Hashable, Sendable {
    /// Nothing.
    case null
    /// A whole number.
    case number(Int64)
    /// The bytes of a text, which SQLite does not check to be UTF-8.
    case text([UInt8])
    /// Bytes.
    case bytes([UInt8])

    /// The number; nil for anything else.
    package var number: Int64? {
        guard case .number(let number) = self else { return nil }
        return number
    }

    /// The text, repaired where it is not UTF-8; nil for what is neither text nor bytes.
    var string: String? {
        switch self {
        case .null, .number: nil
        case .text(let bytes), .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Bytes of memory, roughly.
    package var size: Int {
        switch self {
        case .null, .number: 8
        case .text(let bytes), .bytes(let bytes): bytes.count
        }
    }
}
