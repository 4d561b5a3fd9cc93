internal import Platform
internal import Synchronization

/// How one thread asks another one that captures for an end.
public final class CaptureStop: Sendable {
    private let time = Atomic<Int64>(.max)

    /// Nobody has asked.
    public init() {}

    /// Asks for an end; packets that came before this moment are still given out.
    public func request() {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let nanoseconds = Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
        // The first who asks decides.
        _ = time.compareExchange(
            expected: .max, desired: nanoseconds, ordering: .releasing)
    }

    /// When somebody asked, in nanoseconds since 1970 UTC; nil where nobody has.
    var requestedAtUnixNanoseconds: Int64? {
        let time = time.load(ordering: .acquiring)
        return time == .max ? nil : time
    }
}
