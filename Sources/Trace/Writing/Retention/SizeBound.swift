/// The bounds in bytes that keep a trace within a size.
///
/// The file never shrinks, it has free pages, and the log lies beside it. So eviction begins
/// somewhat below the limit: what one commit adds and the log have to fit above.
struct SizeBound: Hashable {
    /// Bytes that file and log are to stay within.
    let limit: Int64
    /// Bytes in use above which the oldest is evicted.
    let high: Int64
    /// Bytes in use at which eviction stops.
    let low: Int64
    /// Bytes in use that one transaction may free, apart from connections that are evicted as a
    /// whole.
    let step: Int64

    /// The minimum limit: an empty trace takes a tenth of it.
    static let least: Int64 = 4 << 20

    /// The bound for `limit` bytes, or for ``least`` if that is more.
    init(_ limit: Int64) {
        self.limit = max(limit, Self.least)
        // Merging search segments takes up to half a MiB at once, however small the limit.
        high = self.limit - min(max(self.limit / 8, 3 << 19), 32 << 20)
        step = min(self.limit / 64, 1 << 20)
        low = high - step
    }

    /// Pages of the log after which it is moved into the file: it lies beside it and counts as
    /// well.
    func checkpointPages(pageSize: Int64) -> Int { Int(max(64, limit / 16 / pageSize)) }

    /// Bytes in use at which eviction stops, where only rows newer than `kept` could still be
    /// evicted.
    ///
    /// A large one would leave no room for later ones; they use the room for commits.
    func low(sparing kept: NewestExchange.Kept) -> Int64 { low + min(limit - high, kept.size) }

    /// About how many bytes are in use because of a chunk of `count` bytes: its row, what was
    /// decoded from it, and entries in indexes.
    static func cost(ofChunk count: Int64) -> Int64 { 2 * count + 1_024 }
}
