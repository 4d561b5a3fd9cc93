import Notation

/// Converts times of the session's clock to wall-clock time, by the session's anchor.
public struct SessionClock: Hashable, Sendable {
    /// Nanoseconds since 1970 UTC at the time when the session's clock was 0.
    public var startedUnixNanoseconds: Int64

    /// The clock of a session that started then.
    public init(startedUnixNanoseconds: Int64) {
        self.startedUnixNanoseconds = startedUnixNanoseconds
    }

    /// Whole seconds since 1970 UTC at `moment`.
    public func unixSeconds(at moment: Instant) -> Int64 {
        let (sum, isFar) = startedUnixNanoseconds.addingReportingOverflow(moment.nanoseconds)
        let nanoseconds = isFar ? Int64.max : sum
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return rest < 0 ? seconds - 1 : seconds
    }

    /// The value of a `Date` field at `moment`: RFC 9110, 6.6.1.
    public func date(at moment: Instant) -> String {
        HTTPDate(unixSeconds: unixSeconds(at: moment)).text
    }
}
