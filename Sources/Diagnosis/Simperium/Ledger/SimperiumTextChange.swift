/// What differs between two texts, between what they have in common at both ends.
///
/// In UTF-16 code units.
struct SimperiumTextChange: Sendable {
    /// The place of what is replaced, in the old text; as far behind as possible.
    let replaced: Range<Int>
    let inserted: [UInt16]
    /// Whether the same text stands right before what is inserted.
    let isRepetition: Bool

    init(from old: [UInt16], to new: [UInt16]) {
        let most = min(old.count, new.count)
        var start = 0
        while start < most, old[start] == new[start] { start += 1 }
        var end = 0
        while end < most - start, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
        replaced = start..<old.count - end
        let added = start..<new.count - end
        inserted = Array(new[added])
        isRepetition =
            replaced.isEmpty && !added.isEmpty && start >= added.count
            && new[start - added.count..<start].elementsEqual(inserted)
    }

    /// Whether nothing was deleted.
    var isInsertion: Bool { replaced.isEmpty && !inserted.isEmpty }

    /// Whether both are of places of the same text that do not touch.
    func isApart(from other: Self) -> Bool {
        replaced.upperBound < other.replaced.lowerBound
            || other.replaced.upperBound < replaced.lowerBound
    }
}
