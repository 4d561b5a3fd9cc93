import Synchronization

/// A flag that is set once and read from any thread.
package final class Flagged: Sendable {
    private let value = Mutex(false)

    /// Not set yet.
    package init() {}

    /// Whether it was set.
    package var isSet: Bool { value.withLock { $0 } }

    /// Sets it.
    package func set() { value.withLock { $0 = true } }
}
