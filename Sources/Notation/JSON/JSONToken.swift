/// What a JSON value is.
public enum JSONKind: UInt8, Hashable, Sendable, CaseIterable {
    /// `null`.
    case null
    /// `false`.
    case `false`
    /// `true`.
    case `true`
    /// A number, of which the text is kept.
    case number
    /// A string, or the key of a member.
    case string
    /// An array.
    case array
    /// An object.
    case object
}

/// One value or key on the tape.
struct JSONToken: Sendable {
    /// No token: the parent of the outermost value while it is scanned.
    static let none = UInt32.max
    /// The string has escapes, so that its text differs from its bytes.
    static let escaped: UInt8 = 1
    /// The string has a surrogate escape without its other half.
    static let loneSurrogate: UInt8 = 2
    /// The number has a fraction or an exponent.
    static let fractional: UInt8 = 1

    /// Offset of its first byte.
    var start: UInt32
    /// Offset after its last byte.
    var end: UInt32
    /// Index on the tape of what follows it and all it holds; while it is open, of its parent.
    var next: UInt32
    var kind: JSONKind
    var flags: UInt8
}
