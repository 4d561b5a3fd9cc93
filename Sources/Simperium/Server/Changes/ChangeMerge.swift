internal import Notation
internal import Wire

/// Makes one change per object of many: what a server does with old changes to save space.
///
/// `ev` minus `sv` is then more than 1, and all `ccids` are named; what was created and removed
/// again vanishes. Source: Simperium/Specification.md#reconnecting; a comment of
/// Simperium's on pull request 42 of simperium-android.
enum ChangeMerge {
    /// Changes of one object that become one.
    private struct Run {
        var entries: [ChangeLog.Entry]
        /// Place of the last of them among all changes.
        var place: Int
    }

    /// The same effect in at most one change per object, in the order of the last of each.
    ///
    /// Changes whose effect is unknown are unchanged, and those of one object that lead from
    /// nothing to nothing are removed.
    ///
    /// - Parameters:
    ///   - entries: Changes in their order.
    ///   - end: The change version of the bucket after the last change.
    /// - Returns: As many or fewer; none where all vanish.
    static func merge(_ entries: ArraySlice<ChangeLog.Entry>, end: String?) -> [ChangeLog.Entry] {
        var open: [ExactText: Run] = [:]
        var done: [Run] = []
        for (place, entry) in entries.enumerated() {
            if entry.change.operation == .empty {
                // What precedes it no longer affects the objects.
                open = [:]
                done = [Run(entries: [entry], place: place)]
                continue
            }
            let key = ExactText(entry.change.key ?? "")
            guard entry.effect != nil else {
                if let run = open.removeValue(forKey: key) { done.append(run) }
                done.append(Run(entries: [entry], place: place))
                continue
            }
            open[key, default: Run(entries: [], place: place)].entries.append(entry)
            open[key]?.place = place
        }
        done.append(contentsOf: open.values)
        done.sort { $0.place < $1.place }
        var result = done.flatMap { merged($0.entries) }
        if !result.isEmpty { result[result.count - 1].change.cv = end }
        return result
    }

    /// One change of the changes of one object; none where they cancel each other out.
    private static func merged(_ entries: [ChangeLog.Entry]) -> [ChangeLog.Entry] {
        guard entries.count > 1, let first = entries.first, var last = entries.last,
            let before = first.effect?.before ?? last.effect?.after
        else {
            // A single change stays; several that lead from nothing to nothing vanish.
            return entries.count > 1 ? [] : entries
        }
        let wasThere = first.effect?.before != nil
        if let after = last.effect?.after {
            let base = wasThere ? before : .object(JSONObject())
            guard let value = try? JSONDiff.diff(base, after) else { return entries }
            last.change.operation = .modify
            last.change.value = value
        }
        last.change.sv = wasThere ? first.change.sv : nil
        last.change.ccids = entries.flatMap(\.change.ccids)
        last.effect?.before = first.effect?.before
        last.weight = entries.reduce(0) { $0 + $1.weight }
        return [last]
    }
}
