/// Finds where two sequences differ, with as few differences as a bounded amount of work allows.
///
/// Source: E. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), in linear space.
/// That takes time with the product of length and differences, so that each search has an allowance
/// in proportion to the length. Where it is used up, runs that both have are looked for by hashing,
/// which is linear, and what is between them is searched again. No clock is read: the same
/// sequences always give the same hunks.
struct Comparison {
    /// Steps a search may take per element, and in any case; short sequences are always compared
    /// exactly.
    private static let stepsPerElement = 16
    private static let leastSteps = 1 << 16
    /// Lengths of the runs that are hashed, from the first attempt to the last.
    private static let runLengths = [32, 8]

    private let old: [UInt32]
    private let new: [UInt32]
    private var found = HunkList()

    private init(_ old: [UInt32], _ new: [UInt32]) {
        self.old = old
        self.new = new
    }

    /// The differences, in order; none where the sequences are the same.
    static func hunks(from old: [UInt32], to new: [UInt32]) -> [Hunk] {
        var comparison = Comparison(old, new)
        comparison.compare(Hunk(old: 0..<old.count, new: 0..<new.count), allowed: 0, attempt: 0)
        return comparison.found.hunks
    }

    private mutating func compare(_ whole: Hunk, allowed inherited: Int, attempt: Int) {
        let part = whole.trimmed(old, new)
        guard !part.old.isEmpty, !part.new.isEmpty else { return found.append(part) }
        let allowed = max(
            inherited,
            Self.leastSteps + Self.stepsPerElement * (part.old.count + part.new.count))
        var search = MiddleSearch(old, new, part, allowed: allowed)
        switch search.run() {
        case .found(let old, let new):
            // Half the differences are on each side, so that what sufficed suffices again.
            let first = Hunk(
                old: part.old.lowerBound..<old, new: part.new.lowerBound..<new)
            let second = Hunk(
                old: old..<part.old.upperBound, new: new..<part.new.upperBound)
            compare(first, allowed: search.steps, attempt: attempt)
            compare(second, allowed: search.steps, attempt: attempt)
        case .nothingInCommon: found.append(part)
        case .tooExpensive: compareBetweenRuns(part, attempt: attempt)
        }
    }

    private mutating func compareBetweenRuns(_ part: Hunk, attempt: Int) {
        for next in attempt..<Self.runLengths.count {
            let length = Self.runLengths[next]
            let runs = CommonRuns.find(old, new, in: part, length: length)
            guard !runs.isEmpty else { continue }
            var rest = part
            for run in runs {
                let before = Hunk(
                    old: rest.old.lowerBound..<run.old, new: rest.new.lowerBound..<run.new)
                compare(before, allowed: 0, attempt: next + 1)
                rest.old = run.old + length..<part.old.upperBound
                rest.new = run.new + length..<part.new.upperBound
            }
            return compare(rest, allowed: 0, attempt: next + 1)
        }
        found.append(part)
    }
}

extension Hunk {
    /// Without what both parts begin and end with.
    func trimmed(_ old: [UInt32], _ new: [UInt32]) -> Hunk {
        let shorter = min(self.old.count, self.new.count)
        var prefix = 0
        while prefix < shorter,
            old[self.old.lowerBound + prefix] == new[self.new.lowerBound + prefix]
        {
            prefix += 1
        }
        var suffix = 0
        while suffix < shorter - prefix,
            old[self.old.upperBound - 1 - suffix] == new[self.new.upperBound - 1 - suffix]
        {
            suffix += 1
        }
        return Hunk(
            old: self.old.lowerBound + prefix..<self.old.upperBound - suffix,
            new: self.new.lowerBound + prefix..<self.new.upperBound - suffix)
    }
}
