internal import Platform
internal import Synchronization

/// Lets one thread stop the capture of another.
public final class CaptureStop: Sendable {
    private let time = Atomic<Int64>(.max)

    /// Not requested.
    public init() {}

    /// Requests the end; packets received before this time are still returned.
    public func request() {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let nanoseconds = Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
        // The first request counts.
        _ = time.compareExchange(
            expected: .max, desired: nanoseconds, ordering: .releasing)
    }

    /// When it was requested, in nanoseconds since 1970 UTC; nil where it was not.
    var requestedAtUnixNanoseconds: Int64? {
        let time = time.load(ordering: .acquiring)
        return time == .max ? nil : time
    }
}
