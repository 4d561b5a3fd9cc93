import Wire

/// Items to be checked when their time has passed, the earliest first.
///
/// Bounded by ``most``: items beyond are refused, and their rule stays silent.
struct Deadlines<Item: Sendable>: Sendable {
    /// The sort keys; the items are not moved.
    private struct Entry: Sendable {
        var at: Instant
        var order: UInt64
        var place: Int

        func precedes(_ other: Self) -> Bool {
            at == other.at ? order < other.order : at < other.at
        }
    }

    private var heap: [Entry] = []
    private var items: [Item?] = []
    private var free: [Int] = []
    private var order: UInt64 = 0
    /// The maximum number that wait at once.
    let most: Int

    init(most: Int = 100_000) { self.most = most }

    /// Queues `item` until `at`.
    ///
    /// - Returns: Whether there was room.
    @discardableResult
    mutating func wait(until at: Instant, _ item: Item) -> Bool {
        guard heap.count < most else { return false }
        let place = free.popLast() ?? items.count
        if place < items.count { items[place] = item } else { items.append(item) }
        heap.append(Entry(at: at, order: order, place: place))
        order += 1
        var index = heap.count - 1
        while index > 0, heap[index].precedes(heap[(index - 1) / 2]) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
        return true
    }

    /// Removes the earliest whose time is before `now`.
    mutating func next(before now: Instant) -> (at: Instant, item: Item)? {
        guard let first = heap.first, first.at < now else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            sink()
        }
        free.append(first.place)
        return items[first.place].take().map { (first.at, $0) }
    }

    private mutating func sink() {
        var index = 0
        while true {
            var least = index
            for child in (2 * index + 1)...(2 * index + 2)
            where child < heap.count && heap[child].precedes(heap[least]) {
                least = child
            }
            guard least != index else { return }
            heap.swapAt(index, least)
            index = least
        }
    }
}
