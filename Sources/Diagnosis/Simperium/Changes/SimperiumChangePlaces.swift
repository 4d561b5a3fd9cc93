/// Positions in a list, by the fingerprints of their names.
///
/// Open addressing with linear probing over fingerprints that are keyed hashes already, so that
/// nothing is hashed a second time and a name is compared only where its fingerprint is the same.
/// At most two thirds of the slots are taken.
struct SimperiumChangePlaces: Sendable {
    private struct Slot {
        var print: Int
        /// The place, or one of the two below.
        var place: Int32
    }

    private static let free: Int32 = -1
    /// A deleted entry: the wanted one may follow it.
    private static let left: Int32 = -2
    private static let least = 64

    private var slots: [Slot] = []
    /// Slots that are not free.
    private var used = 0

    /// The first place with this fingerprint for which `isWanted` holds.
    func place(_ print: Int, where isWanted: (Int) -> Bool) -> Int? {
        slot(print, where: isWanted).map { Int(slots[$0].place) }
    }

    /// Adds a place that is not there; `count` places there are then.
    mutating func add(_ place: Int, _ print: Int, count: Int) {
        if 3 * (used + 1) > 2 * slots.count { grow(toHold: count) }
        put(place, print)
    }

    /// Moves the entry at `place` to another one.
    mutating func move(_ place: Int, _ print: Int, to other: Int) {
        guard let index = slot(print, where: { $0 == place }) else { return }
        slots[index].place = Int32(truncatingIfNeeded: other)
    }

    /// Removes a place.
    mutating func remove(_ place: Int, _ print: Int) {
        guard let index = slot(print, where: { $0 == place }) else { return }
        slots[index].place = Self.left
    }

    /// Restarts with the places `prints.indices`.
    mutating func reset(_ prints: [Int]) {
        if prints.isEmpty {
            slots = []
            used = 0
            return
        }
        for index in slots.indices { slots[index].place = Self.free }
        used = 0
        for (place, print) in prints.enumerated() { add(place, print, count: prints.count) }
    }

    private func slot(_ print: Int, where isWanted: (Int) -> Bool) -> Int? {
        guard !slots.isEmpty else { return nil }
        let mask = slots.count - 1
        var index = print & mask
        while slots[index].place != Self.free {
            if slots[index].print == print, slots[index].place >= 0,
                isWanted(Int(slots[index].place))
            {
                return index
            }
            index = (index + 1) & mask
        }
        return nil
    }

    private mutating func put(_ place: Int, _ print: Int) {
        let mask = slots.count - 1
        var index = print & mask
        while slots[index].place >= 0 { index = (index + 1) & mask }
        if slots[index].place == Self.free { used += 1 }
        slots[index] = Slot(print: print, place: Int32(truncatingIfNeeded: place))
    }

    /// Makes room for `count` places, and drops what was left.
    private mutating func grow(toHold count: Int) {
        var size = Self.least
        while size < 3 * count { size *= 2 }
        let old = slots
        slots = Array(repeating: Slot(print: 0, place: Self.free), count: size)
        used = 0
        for slot in old where slot.place >= 0 { put(Int(slot.place), slot.print) }
    }
}
