internal import Notation

/// Keys in the order in which they were touched last.
struct Recency: Sendable {
    private var last: [ExactText: Int] = [:]
    /// Touches in order; of each key only the last one counts.
    private var order: [(key: ExactText, turn: Int)] = []
    private var oldest = 0
    private var clock = 0

    /// Number of keys.
    var count: Int { last.count }

    mutating func touch(_ key: ExactText) {
        clock += 1
        last[key] = clock
        order.append((key, clock))
        compact()
    }

    mutating func forget(_ key: ExactText) { last[key] = nil }

    /// Removes the least recently touched key.
    mutating func removeOldest() -> ExactText? {
        while oldest < order.count {
            let (key, turn) = order[oldest]
            oldest += 1
            guard last[key] == turn else { continue }
            last[key] = nil
            return key
        }
        return nil
    }

    /// Drops outdated touches once they are the majority.
    private mutating func compact() {
        guard order.count - oldest > 2 * last.count + 64 || oldest > order.count / 2 + 64 else {
            return
        }
        order.removeFirst(oldest)
        oldest = 0
        order.removeAll { last[$0.key] != $0.turn }
    }
}
