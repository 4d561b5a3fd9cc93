/// How far content may grow when its codings are undone.
public struct ContentDecodingLimits: Hashable, Sendable {
    /// Size in bytes that no decoded content exceeds.
    public var maxDecodedBytes: Int64
    /// Size in bytes of decoded content from which on the ratio matters.
    public var ratioFromBytes: Int64
    /// How many times the size of what was sent the decoded content may have.
    public var maxRatio: Int64
    /// Binary logarithm of the largest zstd window, in 10...31; a window is memory.
    public var maxWindowLog: Int
    /// Number of codings on top of each other.
    public var maxCodings: Int

    /// Limits that stop a decompression bomb and accept real content.
    public init(
        maxDecodedBytes: Int64 = 1 << 30, ratioFromBytes: Int64 = 64 << 20,
        maxRatio: Int64 = 200, maxWindowLog: Int = 27, maxCodings: Int = 4
    ) {
        self.maxDecodedBytes = maxDecodedBytes
        self.ratioFromBytes = ratioFromBytes
        self.maxRatio = max(1, maxRatio)
        self.maxWindowLog = min(max(maxWindowLog, 10), 31)
        self.maxCodings = maxCodings
    }

    /// Whether `decoded` bytes made from `sent` bytes are too many.
    func isBomb(decoded: Int64, sent: Int64) -> Bool {
        decoded > maxDecodedBytes || (decoded > ratioFromBytes && decoded / maxRatio > sent)
    }
}
