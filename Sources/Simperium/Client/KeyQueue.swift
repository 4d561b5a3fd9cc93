import Notation
import Wire

/// Keys in the order in which they came, each once.
struct KeyQueue {
    private var keys: [ExactText] = []
    private var first = 0
    private var members: Set<ExactText> = []

    var isEmpty: Bool { members.isEmpty }
    var count: Int { members.count }

    /// Puts a key last, unless it waits already.
    mutating func append(_ key: ExactText) {
        if members.insert(key).inserted { keys.append(key) }
    }

    /// Takes the first key.
    mutating func popFirst() -> ExactText? {
        guard first < keys.count else { return nil }
        let key = keys[first]
        first += 1
        members.remove(key)
        if first > 64, first * 2 > keys.count {
            keys.removeFirst(first)
            first = 0
        }
        return key
    }

    /// Drops all keys.
    mutating func removeAll() { self = KeyQueue() }
}
