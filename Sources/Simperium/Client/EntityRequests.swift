import Notation
import Wire

/// Entities that are asked for: one per key at once, and no more than a limit in all.
struct EntityRequests {
    private let limit: Int
    private var wanted: [ExactText: Int64] = [:]
    private var waiting = KeyQueue()
    private var asked: [ExactText: Int64] = [:]

    init(limit: Int) { self.limit = max(1, limit) }

    var isEmpty: Bool { wanted.isEmpty }
    var isAsking: Bool { !asked.isEmpty }

    /// The version that is wanted of this object.
    subscript(key: ExactText) -> Int64? { wanted[key] }

    /// Wants a version, instead of an older one that is wanted.
    mutating func want(_ key: ExactText, version: Int64) {
        wanted[key] = max(version, wanted[key] ?? version)
        if asked[key] == nil { waiting.append(key) }
    }

    /// The next request that may be sent.
    mutating func next() -> (key: ExactText, version: Int64)? {
        while asked.count < limit, let key = waiting.popFirst() {
            guard let version = wanted[key] else { continue }
            asked[key] = version
            return (key, version)
        }
        return nil
    }

    /// Takes note of an answer.
    ///
    /// - Returns: Whether it was the version that is wanted, so that nothing more is asked for.
    mutating func answer(_ key: ExactText, version: Int64) -> Bool {
        guard let request = asked[key], request == version else { return false }
        asked[key] = nil
        // It was forgotten meanwhile, with the object.
        guard let newest = wanted[key] else { return false }
        if newest > version {
            waiting.append(key)
            return false
        }
        wanted[key] = nil
        return true
    }

    /// Does not want an object any more.
    mutating func forget(_ key: ExactText) { wanted[key] = nil }

    /// Forgets everything, as the connection does.
    mutating func removeAll() { self = EntityRequests(limit: limit) }
}
