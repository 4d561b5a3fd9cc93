internal import Synchronization

/// Limits the rate of starts per second, over all clients.
final class StartRate: Sendable {
    private let interval: Int64
    private let next = Mutex<Int64>(.min)

    /// - Parameter perSecond: More than 0.
    init(perSecond: Double) {
        interval = Int64(exactly: (1e9 / max(perSecond, 1e-9)).rounded()) ?? .max / 4
    }

    /// The time at which the next thing may begin, not before `now`; in nanoseconds.
    func take(at now: Int64) -> Int64 {
        next.withLock { next in
            let due = max(next, now)
            next = due.addingReportingOverflow(interval).overflow ? .max : due + interval
            return due
        }
    }
}
