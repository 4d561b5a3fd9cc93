/// How long to wait before the next attempt: pauses that double up to a longest one.
///
/// A value without randomness; the jitter is given, so that clients that lost the same server do
/// not come back at the same time.
public struct ReconnectSchedule: Hashable, Sendable {
    /// The first pause in nanoseconds, at least 1.
    public var first: Int64
    /// The longest pause in nanoseconds, at least the first.
    public var longest: Int64
    /// Attempts that failed since the last success.
    public private(set) var failures = 0

    /// A schedule without failures yet.
    ///
    /// - Parameters:
    ///   - first: The first pause in nanoseconds.
    ///   - longest: The longest pause in nanoseconds.
    public init(first: Int64 = 1_000_000_000, longest: Int64 = 60_000_000_000) {
        self.first = max(1, first)
        self.longest = max(self.first, longest)
    }

    /// The pause after so many failures in a row.
    ///
    /// - Parameters:
    ///   - failures: At least 1.
    ///   - jitter: In 0...1; 0 halves the pause, and 1 leaves it.
    /// - Returns: Nanoseconds.
    public func pause(after failures: Int, jitter: Double = 1) -> Int64 {
        let doublings = min(max(0, failures - 1), 62)
        let (product, overflow) = first.multipliedReportingOverflow(by: 1 << Int64(doublings))
        let full = overflow ? longest : min(product, longest)
        return full - Int64(Double(full / 2) * (1 - min(max(jitter, 0), 1)))
    }

    /// Counts a failure.
    ///
    /// - Parameter jitter: In 0...1; 0 halves the pause, and 1 leaves it.
    /// - Returns: Nanoseconds until the next attempt.
    public mutating func fail(jitter: Double = 1) -> Int64 {
        failures += 1
        return pause(after: failures, jitter: jitter)
    }

    /// Restarts the schedule: to be called when the server has answered, not when a socket opened.
    public mutating func succeed() { failures = 0 }
}
