internal import Notation
internal import Wire

/// The order of a bucket's index: that in which its objects were created.
///
/// Places are numbers that only grow, so that a page that begins after one is the same whatever
/// happened before it. Adding and removing takes constant time on average.
struct ObjectOrder: Hashable, Sendable {
    private struct Slot: Hashable, Sendable {
        let place: Int64
        /// Nil where the object is deleted.
        var key: ExactText?
    }

    private var slots: [Slot] = []
    private var gone = 0
    /// The place that the next object gets.
    private(set) var next: Int64 = 0

    /// Adds an object at the end, and gives its place.
    mutating func append(_ key: ExactText) -> Int64 {
        defer { next += 1 }
        slots.append(Slot(place: next, key: key))
        return next
    }

    /// Removes the object at a place.
    mutating func remove(_ place: Int64) {
        let index = index(of: place)
        guard index < slots.count, slots[index].place == place, slots[index].key != nil else {
            return
        }
        slots[index].key = nil
        gone += 1
        guard gone > 64, gone > slots.count / 2 else { return }
        slots.removeAll { $0.key == nil }
        gone = 0
    }

    /// Removes all objects.
    mutating func removeAll() {
        slots = []
        gone = 0
    }

    /// The objects from a place on, in order, with their places.
    func keys(from place: Int64) -> some Sequence<(place: Int64, key: ExactText)> {
        slots[index(of: place)...].lazy.compactMap { slot in slot.key.map { (slot.place, $0) } }
    }

    /// Where in ``slots`` a place is, or would be.
    private func index(of place: Int64) -> Int {
        var low = 0
        var high = slots.count
        while low < high {
            let middle = (low + high) / 2
            if slots[middle].place < place { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
