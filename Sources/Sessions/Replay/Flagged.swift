import Synchronization

/// A yes that is said once and seen from any thread.
package final class Flagged: Sendable {
    private let value = Mutex(false)

    /// Not said yet.
    package init() {}

    /// Whether it was said.
    package var isSet: Bool { value.withLock { $0 } }

    /// Says it.
    package func set() { value.withLock { $0 = true } }
}
