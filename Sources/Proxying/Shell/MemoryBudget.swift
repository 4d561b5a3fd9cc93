import Synchronization

/// What all connections of a proxy hold in memory of what their peers sent, and which of them have to
/// stop reading because of it.
///
/// Above the limit, connections that hold more than their share stop reading; there is always one,
/// and connections that hold little continue.
final class MemoryBudget: Sendable {
    /// Bytes that all may hold together.
    let limit: Int
    private let held = Atomic(0)
    private let connections = Atomic(0)

    /// A budget of `limit` bytes.
    init(limit: Int) { self.limit = limit }

    /// A connection is there, and holds nothing.
    func join() { connections.add(1, ordering: .relaxed) }

    /// A connection that held `bytes` was closed.
    func leave(holding bytes: Int) {
        connections.subtract(1, ordering: .relaxed)
        held.subtract(bytes, ordering: .relaxed)
    }

    /// A connection holds so much more, or less.
    func change(by bytes: Int) {
        if bytes != 0 { held.add(bytes, ordering: .relaxed) }
    }

    /// Bytes that all hold.
    var total: Int { held.load(ordering: .relaxed) }

    /// Whether a connection that holds `own` has to stop reading.
    func isExceeded(by own: Int) -> Bool {
        guard total > limit else { return false }
        return own > limit / max(1, connections.load(ordering: .relaxed))
    }
}
