import NIOCore
import Synchronization
import Wire

/// What an event loop is busy with, written by the loop and read by the watchdog.
final class LoopActivity: Sendable {
    private let connection = Atomic<Int64>(0)
    private let stuck = Atomic(false)
    fileprivate let hasAnswered = Atomic(false)

    /// The loop begins to work for a connection.
    func enter(_ id: ConnectionID) { connection.store(id.rawValue, ordering: .relaxed) }

    /// It is done.
    func leave() { connection.store(0, ordering: .relaxed) }

    /// The connection that it works for.
    var working: ConnectionID? {
        let id = connection.load(ordering: .relaxed)
        return id == 0 ? nil : ConnectionID(id)
    }

    /// Whether it has not answered for long.
    var isStuck: Bool {
        get { stuck.load(ordering: .relaxed) }
        set { stuck.store(newValue, ordering: .relaxed) }
    }
}

/// Pings each event loop twice a second, and reports one that does not answer.
///
/// Every connection of such a loop waits, so this is always a defect or a machine without time; the
/// report names the connection that the loop is busy with.
final class Watchdog: Sendable {
    /// How long a loop may take to answer.
    static let limit = Duration.seconds(2)

    private let watching: Task<Void, Never>

    /// Watches until ``stop()``.
    ///
    /// - Parameters:
    ///   - loops: The loops, with what each is busy with.
    ///   - limit: How long one may take to answer.
    ///   - interval: The interval of the pings.
    ///   - report: Gets a sentence, and the connection that it is about.
    init(
        _ loops: [(loop: any EventLoop, activity: LoopActivity)], limit: Duration = Watchdog.limit,
        interval: Duration = .milliseconds(500),
        report: @escaping @Sendable (String, ConnectionID?) -> Void
    ) {
        watching = Task {
            let started = ContinuousClock.now
            var healths = loops.map { _ in LoopHealth(limit: Self.nanoseconds(limit)) }
            while (try? await Task.sleep(for: interval)) != nil {
                let now = Self.nanoseconds(ContinuousClock.now - started)
                for (index, (loop, activity)) in loops.enumerated() {
                    let (asks, change) = healths[index].look(
                        at: now,
                        hasAnswered: activity.hasAnswered.load(ordering: .acquiring))
                    let name = "event loop \(index + 1) of \(loops.count)"
                    switch change {
                    case .stuck(let time):
                        activity.isStuck = true
                        let working = activity.working
                        report(
                            "\(name) has not answered for \(Self.text(time)); its connections wait; it is busy with \(working.map { "connection \($0)" } ?? "none of them")",
                            working)
                    case .recovered(let time):
                        activity.isStuck = false
                        report("\(name) answers again after \(Self.text(time))", nil)
                    case nil: break
                    }
                    guard asks else { continue }
                    activity.hasAnswered.store(false, ordering: .relaxed)
                    loop.execute { activity.hasAnswered.store(true, ordering: .releasing) }
                }
            }
        }
    }

    /// Stops watching.
    func stop() { watching.cancel() }

    private static func nanoseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    private static func text(_ nanoseconds: Int64) -> String {
        let tenths = (nanoseconds + 50_000_000) / 100_000_000
        return "\(tenths / 10).\(tenths % 10) s"
    }
}
