/// Requests that wait, in the order in which they were added.
struct Lane {
    // Sorted; those before `head` are removed.
    private var ids: [UInt64] = []
    private var head = 0

    var isEmpty: Bool { head == ids.count }

    /// Puts a request where its age puts it: at the end, or further ahead where it was here before.
    mutating func insert(_ id: UInt64) {
        ids.insert(id, at: place(of: id))
    }

    mutating func popFirst() -> UInt64? {
        guard head < ids.count else { return nil }
        defer {
            head += 1
            if head > 64, head * 2 > ids.count {
                ids.removeFirst(head)
                head = 0
            }
        }
        return ids[head]
    }

    mutating func remove(_ id: UInt64) {
        let place = place(of: id)
        if place < ids.count, ids[place] == id { ids.remove(at: place) }
    }

    /// The index of the first request that is not older.
    private func place(of id: UInt64) -> Int {
        var low = head
        var high = ids.count
        while low < high {
            let middle = low + (high - low) / 2
            if ids[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
