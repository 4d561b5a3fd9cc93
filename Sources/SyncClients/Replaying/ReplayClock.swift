/// The clock of a replay; tests have their own.
public struct ReplayClock: Sendable {
    /// Monotonic nanoseconds.
    public var now: @Sendable () -> Int64
    /// Waits this many nanoseconds; false where the task was cancelled.
    public var sleep: @Sendable (Int64) async -> Bool

    /// A clock of these functions.
    public init(
        now: @escaping @Sendable () -> Int64, sleep: @escaping @Sendable (Int64) async -> Bool
    ) {
        self.now = now
        self.sleep = sleep
    }

    /// The clock of the machine.
    public static let system: ReplayClock = {
        let start = ContinuousClock.now
        return ReplayClock {
            let (seconds, attoseconds) = (ContinuousClock.now - start).components
            return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        } sleep: { nanoseconds in
            do { try await Task.sleep(for: .nanoseconds(nanoseconds)) } catch { return false }
            return true
        }
    }()
}
