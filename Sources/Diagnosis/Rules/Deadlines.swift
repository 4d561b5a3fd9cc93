import Wire

/// What is to be looked at when a moment has passed, the earliest first.
///
/// Bounded by ``most``: what is beyond is refused, and its rule stays silent.
struct Deadlines<Item: Sendable>: Sendable {
    private var heap: [(at: Instant, order: UInt64, item: Item)] = []
    private var order: UInt64 = 0
    /// Most that wait at once.
    let most: Int

    init(most: Int = 100_000) { self.most = most }

    /// Lets `item` wait until `at`.
    ///
    /// - Returns: Whether there was room.
    @discardableResult
    mutating func wait(until at: Instant, _ item: Item) -> Bool {
        guard heap.count < most else { return false }
        heap.append((at, order, item))
        order += 1
        var index = heap.count - 1
        while index > 0, precedes(index, (index - 1) / 2) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
        return true
    }

    /// The earliest whose moment is before `now`, taken out.
    mutating func next(before now: Instant) -> (at: Instant, item: Item)? {
        guard let first = heap.first, first.at < now else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            sink()
        }
        return (first.at, first.item)
    }

    private func precedes(_ a: Int, _ b: Int) -> Bool {
        (heap[a].at, heap[a].order) < (heap[b].at, heap[b].order)
    }

    private mutating func sink() {
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < heap.count && precedes(child, least) {
                least = child
            }
            guard least != index else { return }
            heap.swapAt(index, least)
            index = least
        }
    }
}
