import Foundation

/// Wakes threads that wait for a condition.
final class AddonSignal: Sendable {
    private let condition = NSCondition()

    /// What somebody waits for may hold now.
    func signal() {
        condition.lock()
        condition.broadcast()
        condition.unlock()
    }

    /// Blocks until `isMet`.
    func wait(until isMet: () -> Bool) {
        condition.lock()
        while !isMet() { condition.wait() }
        condition.unlock()
    }
}
