/// A time on the session's monotonic clock.
///
/// Monotonic, so that a change of the wall clock during a session moves nothing. The session row
/// holds the one wall-clock anchor.
public struct Instant: Hashable, Comparable, Sendable {
    /// Nanoseconds since the session started, at least 0.
    public var nanoseconds: Int64

    /// The time `nanoseconds` after the start of the session.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The start of the session.
    public static let zero = Instant(nanoseconds: 0)

    /// Whether `a` came before `b`.
    public static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }
}
