import Notation
import Wire

/// The versions at which objects were removed, so that an older change does not bring them back.
///
/// Bounded: the oldest go first.
struct Tombstones {
    private let limit: Int
    private var versions: [ExactText: Int64] = [:]
    private var order = KeyQueue()

    init(limit: Int) { self.limit = max(0, limit) }

    /// Objects that were removed, in no order.
    var keys: Dictionary<ExactText, Int64>.Keys { versions.keys }

    /// The version at which this object was removed last.
    subscript(key: ExactText) -> Int64? { versions[key] }

    /// Keeps a removal.
    ///
    /// - Returns: The key that was dropped for it, if any.
    mutating func insert(_ key: ExactText, at version: Int64) -> ExactText? {
        versions[key] = max(version, versions[key] ?? version)
        order.append(key)
        guard versions.count > limit, let oldest = order.popFirst() else { return nil }
        versions[oldest] = nil
        return oldest
    }

    /// Drops all removals.
    ///
    /// - Returns: The keys that were dropped.
    mutating func removeAll() -> [ExactText] {
        defer {
            versions = [:]
            order.removeAll()
        }
        return Array(versions.keys)
    }
}
