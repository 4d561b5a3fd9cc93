import Synchronization

/// A yes that is said once and seen from any thread.
final class Flagged: Sendable {
    private let value = Mutex(false)

    /// Whether it was said.
    var isSet: Bool { value.withLock { $0 } }

    /// Says it.
    func set() { value.withLock { $0 = true } }
}
