/// How much of a message is held in memory before framing of a direction ends.
public struct HTTPLimits: Hashable, Sendable {
    /// Size of a start line with its fields in bytes, at least 1.
    ///
    /// Applies to a trailer section as well.
    public var maxHeadBytes: Int
    /// Number of field lines in a head.
    public var maxFields: Int
    /// Size of a chunk-size line with its extensions in bytes, at least 1.
    public var maxChunkLineBytes: Int

    /// Limits that real traffic stays under by far.
    public init(
        maxHeadBytes: Int = 256 * 1024, maxFields: Int = 4096, maxChunkLineBytes: Int = 16 * 1024
    ) {
        self.maxHeadBytes = max(1, maxHeadBytes)
        self.maxFields = max(0, maxFields)
        self.maxChunkLineBytes = max(1, maxChunkLineBytes)
    }
}
