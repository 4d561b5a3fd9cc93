extension StringDelta {
    /// A short delta that makes `new` of `old`.
    ///
    /// It is made as diff-match-patch makes it: few changes, and no kept stretch so short that its
    /// token would cost more than it saves. What is dropped precedes what is inserted. No step
    /// begins or ends within a surrogate pair. Other implementations may find another delta of the
    /// same effect, so that deltas are to be compared by what they do.
    ///
    /// Short texts, and longer ones with few differences, are compared exactly. Otherwise the work is
    /// bounded in proportion to the length, and a stretch without long common runs is replaced as
    /// one. No clock is read: the same texts always give the same delta.
    public static func diff(from old: String, to new: String) -> StringDelta {
        let window = TextWindow(old, new)
        let hunks = HunkCleanup.clean(
            Comparison.hunks(from: window.old, to: window.new), window.old, window.new)
        var steps: [Step] = []
        steps.reserveCapacity(hunks.count * 3 + 2)
        var place = 0
        var kept = window.before
        for hunk in hunks {
            kept += units(window.old[place..<hunk.old.lowerBound])
            steps.append(.keep(kept))
            kept = 0
            steps.append(.drop(units(window.old[hunk.old])))
            steps.append(.insert(String(decoding: window.new[hunk.new], as: UTF32.self)))
            place = hunk.old.upperBound
        }
        steps.append(.keep(kept + units(window.old[place...]) + window.after))
        return StringDelta(steps: steps)
    }

    /// UTF-16 code units of code points.
    private static func units(_ scalars: ArraySlice<UInt32>) -> Int {
        var count = scalars.count
        for scalar in scalars where scalar > 0xFFFF { count += 1 }
        return count
    }
}
