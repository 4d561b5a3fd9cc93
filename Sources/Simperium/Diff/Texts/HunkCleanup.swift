/// Makes differences fewer where that makes the delta shorter.
///
/// Source: what diff-match-patch calls merging and efficiency cleanup. Each kept stretch costs two
/// tokens, so that short ones between changes are changed along; and a change that can slide over a
/// whole kept stretch to its neighbour joins it.
struct HunkCleanup {
    /// Length that is worth being kept.
    private static let editCost = 4
    /// How often changes are slid, so that no text takes more than linear time.
    private static let maxPasses = 64

    private let old: [UInt32]
    private let new: [UInt32]
    private var hunks: [Hunk]

    static func clean(_ hunks: [Hunk], _ old: [UInt32], _ new: [UInt32]) -> [Hunk] {
        var cleanup = HunkCleanup(old: old, new: new, hunks: hunks)
        cleanup.settle()
        cleanup.joinNear()
        cleanup.settle()
        return cleanup.hunks
    }

    /// Slides until nothing slides any more; each step removes one kept stretch.
    private mutating func settle() {
        var passes = 0
        repeat {
            passes += 1
            var list = HunkList()
            for hunk in hunks { list.append(hunk.trimmed(old, new)) }
            hunks = list.hunks
        } while passes < Self.maxPasses && slide()
    }

    private mutating func slide() -> Bool {
        var hasSlid = false
        for place in hunks.indices {
            let hunk = hunks[place]
            // What is replaced cannot slide.
            guard hunk.old.isEmpty != hunk.new.isEmpty else { continue }
            let text = hunk.old.isEmpty ? new[hunk.new] : old[hunk.old]
            let before = place > 0 ? hunks[place - 1].old.upperBound : 0
            let after = place + 1 < hunks.count ? hunks[place + 1].old.lowerBound : old.count
            let kept = old[before..<hunk.old.lowerBound]
            let next = old[hunk.old.upperBound..<after]
            guard !kept.isEmpty, !next.isEmpty else { continue }
            if kept.count <= text.count, text.suffix(kept.count).elementsEqual(kept) {
                hunks[place] = hunk.moved(by: -kept.count)
                hasSlid = true
            } else if next.count <= text.count, text.prefix(next.count).elementsEqual(next) {
                hunks[place] = hunk.moved(by: next.count)
                hasSlid = true
            }
        }
        return hasSlid
    }

    private mutating func joinNear() {
        var joined: [Hunk] = []
        for hunk in hunks {
            var hunk = hunk
            while let last = joined.last, isWorthJoining(last, hunk) {
                hunk = last.union(hunk)
                joined.removeLast()
            }
            joined.append(hunk)
        }
        hunks = joined
    }

    private func isWorthJoining(_ first: Hunk, _ second: Hunk) -> Bool {
        let kept = second.old.lowerBound - first.old.upperBound
        let changes = [first.old, first.new, second.old, second.new].count { !$0.isEmpty }
        return changes == 4 && kept < Self.editCost || changes == 3 && kept < Self.editCost / 2
    }
}
