/// Where two sequences differ: a part of the old one gives way to a part of the new one.
///
/// One of the parts may be empty. Between two hunks both sequences are the same.
struct Hunk: Hashable, Sendable {
    var old: Range<Int>
    var new: Range<Int>

    /// Both and what is between them.
    func union(_ next: Hunk) -> Hunk {
        Hunk(
            old: old.lowerBound..<next.old.upperBound, new: new.lowerBound..<next.new.upperBound)
    }

    /// The same, moved by `count` in both sequences.
    func moved(by count: Int) -> Hunk {
        Hunk(
            old: old.lowerBound + count..<old.upperBound + count,
            new: new.lowerBound + count..<new.upperBound + count)
    }
}

/// Hunks in order, those that touch united.
struct HunkList {
    private(set) var hunks: [Hunk] = []

    mutating func append(_ hunk: Hunk) {
        guard !hunk.old.isEmpty || !hunk.new.isEmpty else { return }
        if let last = hunks.last, last.old.upperBound == hunk.old.lowerBound,
            last.new.upperBound == hunk.new.lowerBound
        {
            hunks[hunks.count - 1] = last.union(hunk)
        } else {
            hunks.append(hunk)
        }
    }
}
