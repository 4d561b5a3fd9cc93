/// The first bytes of a message's content, kept for filters that use them.
struct KeptContent {
    /// The maximum number of bytes that are kept.
    static let limit = 1 << 20

    /// Content without transfer coding.
    private(set) var bytes: [UInt8] = []
    /// Trailer fields as sent.
    var trailers: [UInt8] = []
    /// Whether there is more than is kept.
    private(set) var isCut = false

    /// Processes content that follows.
    mutating func append(_ more: ArraySlice<UInt8>) {
        let room = Self.limit - bytes.count
        bytes += more.prefix(room)
        if more.count > room { isCut = true }
    }
}
