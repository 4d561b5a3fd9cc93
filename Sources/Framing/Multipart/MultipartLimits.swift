/// How much of a multipart body is held in memory or accepted.
public struct MultipartLimits: Hashable, Sendable {
    /// Size of the fields of one part in bytes, at least 1.
    public var maxHeadBytes: Int
    /// Number of parts.
    public var maxParts: Int

    /// Limits that real submissions stay under by far.
    public init(maxHeadBytes: Int = 64 * 1024, maxParts: Int = 10_000) {
        self.maxHeadBytes = max(1, maxHeadBytes)
        self.maxParts = max(0, maxParts)
    }
}
