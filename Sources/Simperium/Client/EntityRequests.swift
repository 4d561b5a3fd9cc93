import Notation
import Wire

/// Requested entities: one per key at once, and no more than a limit in all.
struct EntityRequests {
    private let limit: Int
    private var wanted: [ExactText: Int64] = [:]
    private var waiting = KeyQueue()
    private var asked: [ExactText: Int64] = [:]

    init(limit: Int) { self.limit = max(1, limit) }

    var isEmpty: Bool { wanted.isEmpty }
    var isAsking: Bool { !asked.isEmpty }

    /// The requested version of this object.
    subscript(key: ExactText) -> Int64? { wanted[key] }

    /// Requests a version, in place of an older requested one.
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

    /// Notes an answer.
    ///
    /// - Returns: Whether it was the requested version, so that nothing more is requested.
    mutating func answer(_ key: ExactText, version: Int64) -> Bool {
        guard let request = asked[key], request == version else { return false }
        asked[key] = nil
        // It was dropped meanwhile, with the object.
        guard let newest = wanted[key] else { return false }
        if newest > version {
            waiting.append(key)
            return false
        }
        wanted[key] = nil
        return true
    }

    /// Cancels the request of an object.
    mutating func forget(_ key: ExactText) { wanted[key] = nil }

    /// Drops everything, as the connection does.
    mutating func removeAll() { self = EntityRequests(limit: limit) }
}
