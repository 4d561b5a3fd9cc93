/// How long nothing of one kind is sent.
public struct CommCarePause: Hashable, Sendable {
    /// Until when a user has to wait, in seconds since 1970.
    public var userUntil: Int64
    /// Until when what is automatic has to wait, in seconds since 1970.
    public var automaticUntil: Int64
    /// Failures in a row.
    public var failures: Int

    /// The `automaticUntil` of what waits for the user to act, and for no time.
    public static let untilUserActs = Int64.max

    /// The longest pause that a server may require, in seconds.
    public static let longest: Int64 = 7 * 86_400

    /// A pause with these values; without them, none.
    public init(userUntil: Int64 = 0, automaticUntil: Int64 = 0, failures: Int = 0) {
        self.userUntil = userUntil
        self.automaticUntil = automaticUntil
        self.failures = failures
    }

    /// Counts a failure: 5 minutes, doubled each time, at most 5 hours.
    ///
    /// - Parameters:
    ///   - now: Seconds since 1970.
    ///   - jitter: 0...1, which adds up to a fifth.
    ///   - retryAfter: Seconds that the server requires.
    ///   - coolsDown: Whether a user has to wait as well, at least 5 seconds. Source:
    /// OpenRosa/Specification.md#client-policy.
    mutating func fail(now: Int64, jitter: Double, retryAfter: Int64?, coolsDown: Bool) {
        let longest = 18_000.0
        let base = min(Double(300 << min(failures, 6)), longest)
        let delay = min(base * (1 + 0.2 * min(max(jitter, 0), 1)), longest)
        failures = min(failures + 1, 1_000)
        let asked = min(max(retryAfter ?? 0, 0), Self.longest)
        automaticUntil = now + max(Int64(delay), asked)
        if coolsDown { userUntil = now + max(asked, 5) }
    }
}
