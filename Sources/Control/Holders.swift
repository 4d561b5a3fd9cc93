import Synchronization
import Wire

/// Those who hold messages, each with its rules for as long as it is there.
///
/// A holder that is not heard of for its time has gone: its rules go with it, and what they hold goes
/// on.
final class Holders: Sendable {
    /// How long a holder may stay silent where it does not say.
    static let patience = Duration.seconds(10)

    /// A holder.
    struct Holder {
        /// The names of its rules.
        let rules: [String]
        /// How long it may stay silent.
        let patience: Duration
        /// When it was heard of last.
        var heardAt: ContinuousClock.Instant
    }

    private struct State {
        var count = 0
        var holders: [String: Holder] = [:]
    }

    private let state = Mutex(State())

    /// The next name of a holder.
    func nextName() -> String {
        state.withLock {
            $0.count += 1
            return "hold-\($0.count)"
        }
    }

    /// Adds a holder.
    func add(_ name: String, rules: [String], patience: Duration) {
        state.withLock {
            $0.holders[name] = Holder(rules: rules, patience: patience, heardAt: .now)
        }
    }

    /// A holder was heard of.
    ///
    /// - Returns: Its rules; nil where it is not there, or no more.
    func renew(_ name: String) -> [String]? {
        state.withLock {
            $0.holders[name]?.heardAt = .now
            return $0.holders[name]?.rules
        }
    }

    /// Removes a holder.
    ///
    /// - Returns: Its rules; nil where it is not there.
    func remove(_ name: String) -> [String]? {
        state.withLock { $0.holders.removeValue(forKey: name)?.rules }
    }

    /// How long a holder may stay silent from now on; nil where it is not there.
    func rest(of name: String) -> Duration? {
        state.withLock {
            $0.holders[name].map { $0.patience - $0.heardAt.duration(to: .now) }
        }
    }
}
