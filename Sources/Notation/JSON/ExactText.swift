/// Text that equals another only if both have the same code points.
///
/// `String` takes canonically equivalent spellings for one; as keys of objects on the wire they are
/// two.
public struct ExactText: Hashable, Sendable, CustomStringConvertible {
    /// The text.
    public let string: String

    /// The text `string`.
    public init(_ string: String) { self.string = string }

    /// Whether both have the same code points.
    public static func == (a: Self, b: Self) -> Bool {
        // Equivalence is decided quickly, and what is not equivalent is not the same.
        guard a.string == b.string else { return false }
        let (one, other) = (a.string.utf8.span, b.string.utf8.span)
        guard one.count == other.count else { return false }
        for index in one.indices where one[index] != other[index] { return false }
        return true
    }

    /// Hashes the code points.
    public func hash(into hasher: inout Hasher) {
        var text = string
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // No text ends in this byte, so that two in a row do not run into each other.
        hasher.combine(0xFF as UInt8)
    }

    /// The text.
    public var description: String { string }
}
