internal import Dissection
internal import Wire

/// Rows that were read ahead, the earliest first.
struct EvidenceQueue {
    /// A queued row.
    enum Item {
        case entry(EvidenceEntry)
        /// A request that is complete; its body is read when it is its turn.
        indirect case asked(ExchangeRow)
        /// An exchange that has ended.
        indirect case answered(ExchangeRow)
    }

    private struct Key {
        var at: Int64
        /// Rows of the same time come in this order, and then in the order of reading.
        var order: UInt64
        var slot: Int

        static func < (a: Key, b: Key) -> Bool { (a.at, a.order) < (b.at, b.order) }
    }

    private var heap: [Key] = []
    private var items: [Item?] = []
    private var free: [Int] = []
    private var count: UInt64 = 0

    /// When the first of them is.
    var first: Int64? { heap.first?.at }

    /// Queues `item`.
    mutating func add(_ item: Item, at: Instant, rank: UInt64) {
        let slot: Int
        if let last = free.popLast() {
            slot = last
            items[slot] = item
        } else {
            slot = items.count
            items.append(item)
        }
        heap.append(Key(at: at.nanoseconds, order: rank << 56 | count, slot: slot))
        count += 1
        var index = heap.count - 1
        while index > 0, heap[index] < heap[(index - 1) / 2] {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// Takes the first out.
    mutating func pop() -> Item? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            sink()
        }
        let item = items[first.slot]
        items[first.slot] = nil
        free.append(first.slot)
        return item
    }

    private mutating func sink() {
        var index = 0
        while true {
            var least = index
            let child = 2 * index + 1
            if child < heap.count, heap[child] < heap[least] { least = child }
            if child + 1 < heap.count, heap[child + 1] < heap[least] { least = child + 1 }
            guard least != index else { return }
            heap.swapAt(index, least)
            index = least
        }
    }
}
