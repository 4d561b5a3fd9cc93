import Wire

/// The tries of one kind since a fault that counts them.
struct RecoveryTries {
    /// How many there were.
    var count = 0
    /// When the last one was made.
    var lastAt: Instant?
    /// Status of the answer to the last one; nil without an answer.
    var status: Int?
    /// Retry-After of that answer.
    var retryAfter: String?
    /// The longest pause between two of them, in nanoseconds.
    var longestPause: Int64 = 0

    /// Notes a try, with the exchange that it was.
    mutating func note(at: Instant, _ answer: ExchangeRowFacts?) {
        count += 1
        if let last = lastAt {
            longestPause = max(longestPause, at.nanoseconds - last.nanoseconds)
        }
        lastAt = answer?.at ?? at
        status = answer?.status
        retryAfter = answer?.retryAfter
    }
}
