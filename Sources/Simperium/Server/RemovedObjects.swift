internal import Notation
internal import Wire

/// The deleted objects whose version is kept, oldest removal first.
struct RemovedObjects: Hashable, Sendable {
    /// A removal; stale once the object came back.
    struct Removal: Hashable, Sendable {
        let key: ExactText
        /// The version of the removal.
        let number: Int64
    }

    private var queue: [Removal] = []
    private var start = 0
    /// How many deleted objects are kept.
    private(set) var count = 0

    /// An object was removed.
    mutating func insert(_ key: ExactText, _ number: Int64) {
        queue.append(Removal(key: key, number: number))
        count += 1
    }

    /// A removed object came back.
    mutating func comeBack() { count -= 1 }

    /// The oldest removal where there are more than `most`; the caller skips those that are stale.
    mutating func next(over most: Int, isStale: (Removal) -> Bool) -> Removal? {
        if queue.count - start > 2 * count + 64 {
            queue = queue[start...].filter { !isStale($0) }
            start = 0
        }
        while count > most, start < queue.count {
            let removal = queue[start]
            start += 1
            if start > 64, start > queue.count / 2 {
                queue.removeFirst(start)
                start = 0
            }
            guard !isStale(removal) else { continue }
            count -= 1
            return removal
        }
        return nil
    }
}
