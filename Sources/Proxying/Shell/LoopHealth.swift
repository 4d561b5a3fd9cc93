/// Whether something that is polled repeatedly answers in time.
///
/// Times are nanoseconds of a monotonic clock.
struct LoopHealth {
    /// What has become different.
    enum Change: Hashable {
        /// It has not answered for so long.
        case stuck(Int64)
        /// It answers again, after so long.
        case recovered(Int64)
    }

    private let limit: Int64
    private var askedAt: Int64?
    private var isStuck = false

    /// Something that may take `limit` nanoseconds to answer.
    init(limit: Int64) { self.limit = limit }

    /// A look at `now`; `hasAnswered` is about the previous ping.
    ///
    /// - Returns: Whether to ask again, and what is different.
    mutating func look(at now: Int64, hasAnswered: Bool) -> (asks: Bool, change: Change?) {
        guard let asked = askedAt else {
            askedAt = now
            return (true, nil)
        }
        guard !hasAnswered else {
            askedAt = now
            guard isStuck else { return (true, nil) }
            isStuck = false
            return (true, .recovered(now - asked))
        }
        guard !isStuck, now - asked >= limit else { return (false, nil) }
        isStuck = true
        return (false, .stuck(now - asked))
    }
}
