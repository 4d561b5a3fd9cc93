/// Counts requests in the minute that runs, so that too many can be refused.
struct RequestMeter: Sendable {
    /// The maximum number of senders that are counted separately; the rest count as one.
    private static let senders = 10_000

    private var minute: Int64 = 0
    private var counts: [String: Int] = [:]

    /// Counts a request, where it may come.
    ///
    /// - Parameters:
    ///   - sender: Who sends it, and what kind it is.
    ///   - most: The maximum number of them per minute; nil for no limit.
    ///   - now: Seconds since 1970.
    /// - Returns: The seconds after which the next may come; nil where this one may.
    mutating func wait(_ sender: String, most: Int?, now: Int64) -> Int? {
        guard let most else { return nil }
        let current = now >= 0 ? now / 60 : (now - 59) / 60
        if current != minute {
            minute = current
            counts = [:]
        }
        let sender = counts[sender] == nil && counts.count >= Self.senders ? "" : sender
        let count = counts[sender, default: 0]
        guard count < most else { return Int((current + 1) * 60 - now) }
        counts[sender] = count + 1
        return nil
    }
}
