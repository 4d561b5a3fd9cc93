/// Bytes of a chunk that went on later than they were read, or not at all.
///
/// What no delivery covers went on as soon as it was read.
public struct Delivery: Hashable, Sendable {
    /// Offset in bytes of the first of them, relative to the chunk as it was read.
    public var offset: Int
    /// Number of bytes, at least 1.
    public var count: Int
    /// When they went on; nil where they never did.
    public var at: Instant?

    /// The delivery of `count` bytes at `offset`.
    public init(offset: Int, count: Int, at: Instant?) {
        self.offset = offset
        self.count = count
        self.at = at
    }
}
