/// How much JSON is read before it is refused.
///
/// A token takes 16 bytes, so that ``values`` bounds the memory that a hostile text can use.
public struct JSONLimits: Hashable, Sendable {
    /// Greatest nesting of arrays and objects, at least 0.
    public var depth: Int
    /// Greatest number of keys and values together, at least 1.
    public var values: Int

    /// Limits with these values.
    public init(depth: Int = 512, values: Int = 4_000_000) {
        self.depth = depth
        self.values = values
    }

    /// The default limits: 512 levels, 4,000,000 keys and values.
    public static let usual = JSONLimits()
}
