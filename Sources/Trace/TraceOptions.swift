public import Dissection
internal import Platform

/// How a trace is written.
public struct TraceOptions: Sendable {
    /// What happens when nothing can be written: there is no room on the disk, the trace is locked
    /// for longer than ``budget`` lasts, or it was deleted.
    public enum OnDiskFull: String, Hashable, Sendable, CaseIterable {
        /// Traffic goes on; the trace records which bytes are missing. Instead of a file that is
        /// lost, another is written beside it.
        case pass
        /// `onStop` is called, and the caller is expected to stop the traffic.
        case stop
    }

    /// What happens when nothing can be written.
    public var onDiskFull = OnDiskFull.pass
    /// Size in bytes that the trace is kept within by deleting the oldest; nil for no bound.
    ///
    /// Below 4 MiB it counts as 4 MiB. Eviction begins an eighth below it, at least 1 MiB and at
    /// most 32 MiB, and ends a little lower. File and log go beyond it only where one commit adds
    /// more than that, by no more than twice what it adds: an exchange that ends adds up to 1 MiB
    /// of content for each direction. While search merges its index, an eighth may come on top.
    /// The newest complete exchange stays unless it alone is larger.
    public var maxSize: Int64?
    /// Nanoseconds that traffic is kept before it is evicted; nil for ever.
    public var keepLast: Int64?
    /// Whether ``maxSize`` and ``keepLast`` evict what was not shipped of a trace that is shipped.
    ///
    /// Otherwise the trace becomes larger, and older, for as long as that takes. A trace is shipped
    /// where a ledger lies beside it.
    public var evictsUnshipped = false
    /// Bytes of memory for what waits to be written, overhead included.
    public var budget = 32 << 20
    /// Called on the writer's thread after each commit with the exchanges that ended in it, its
    /// messages and its commands.
    public var onCommit: (@Sendable ([DerivedRow]) -> Void)?
    /// Called once, on the writer's thread, when nothing more can be written and recording should
    /// stop.
    public var onStop: (@Sendable (TraceError) -> Void)?
    /// Called on the writer's thread with a message for the user when nothing can be written while
    /// traffic goes on, when writing goes on again or in another file, and when a reader makes the
    /// log grow.
    public var onWarning: (@Sendable (String) -> Void)?
    /// Monotonic nanoseconds, from any start.
    public var clock: @Sendable () -> Int64 = TraceOptions.monotonic
    /// Whether the file is private until it is finished: it is written without durability, and a
    /// crash leaves nothing readable.
    public var isUnseen = false
    /// Whether search indexes are built while the trace is written.
    public var indexesSearch = true
    /// Largest number of pages the file may have, read before every commit: a disk that fills up
    /// and has room again, for tests.
    var pageLimit: (@Sendable () -> Int64)?
    /// Least nanoseconds between two attempts to write to a disk that was full.
    var retryInterval: Int64 = 1_000_000_000
    /// Bytes of the log above which a reader that keeps it from being moved is reported.
    var largeLog: Int64 = 64 << 20
    /// Whether a reader of this process is reported as well; it is the diagnosis of what is recorded,
    /// and in tests anybody.
    var reportsOwnReader = false
    /// Nanoseconds between two checks whether the file is still there.
    var lookInterval: Int64 = 1_000_000_000

    /// The usual way: unbounded, traffic goes on when the disk is full.
    public init() {}

    /// Nanoseconds of the machine's monotonic clock.
    public static let monotonic: @Sendable () -> Int64 = {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
