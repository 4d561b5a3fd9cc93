internal import Wire

/// Things that are due at a time, in the order of their times; those of one time in the order in
/// which they came.
struct DueList<Element> {
    private struct Entry {
        var due: Instant
        var number: UInt64
        var element: Element

        static func < (a: Entry, b: Entry) -> Bool { (a.due, a.number) < (b.due, b.number) }
    }

    /// A heap: no entry comes before its parent.
    private var heap: [Entry] = []
    private var count: UInt64 = 0

    /// Whether nothing waits.
    var isEmpty: Bool { heap.isEmpty }

    /// When the next is due; nil where nothing waits.
    var next: Instant? { heap.first?.due }

    /// Adds something.
    mutating func insert(_ element: Element, due: Instant) {
        heap.append(Entry(due: due, number: count, element: element))
        count += 1
        var index = heap.count - 1
        while index > 0, heap[index] < heap[(index - 1) / 2] {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// Takes the first of what is due by `now`; nil where nothing is.
    mutating func take(by now: Instant) -> Element? {
        guard let first = heap.first, first.due <= now else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < heap.count && heap[child] < heap[least] {
                least = child
            }
            guard least != index else { break }
            heap.swapAt(index, least)
            index = least
        }
        return first.element
    }
}
