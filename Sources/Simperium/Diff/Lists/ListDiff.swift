import Notation
import Wire

/// Operations on the elements of an array.
enum ListDiff {
    /// Differences between two arrays, in order.
    static func hunks(_ old: [JSONValue], _ new: [JSONValue]) -> [Hunk] {
        var ids = ElementIDs()
        return Comparison.hunks(from: ids.ids(of: old), to: ids.ids(of: new))
    }

    /// The value of an `L`.
    ///
    /// Every element that is kept, changed, removed or inserted takes one index, since removals do
    /// not move the later indices, but insertions do.
    static func map(
        _ old: [JSONValue], _ new: [JSONValue], _ policy: DiffPolicy
    ) -> JSONObject {
        var map = JSONObject()
        var place = 0
        var index = 0
        for hunk in hunks(old, new) {
            index += hunk.old.lowerBound - place
            place = hunk.old.upperBound
            var removed = hunk.old
            var inserted = hunk.new
            // One for one, as far as there are both.
            while let from = removed.popFirst() {
                let operation: JSONValue? =
                    inserted.popFirst().map {
                        JSONDiff.operation(from: old[from], to: new[$0], policy)
                    } ?? DiffOperation.json(.remove)
                if let operation { map.members.append(.init(String(index), operation)) }
                index += 1
            }
            for element in inserted {
                let operation = DiffOperation.json(.insert, new[element])
                map.members.append(.init(String(index), operation))
                index += 1
            }
        }
        return map
    }
}
