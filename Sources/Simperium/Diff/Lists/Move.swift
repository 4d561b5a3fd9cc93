/// One step through a sequence, of which only lengths matter.
enum Move: Hashable, Sendable {
    /// This many elements are kept.
    case keep(Int)
    /// This many elements are dropped.
    case drop(Int)
    /// Elements are inserted; the caller knows them by `id`.
    case insert(id: Int, length: Int)

    /// What is left of `local` to be done once `remote` has been: exact operational transformation.
    ///
    /// Both are for one sequence and keep or drop all of it; the result is for what `remote` makes
    /// of it. What both drop is dropped once. What both insert at one place stays twice, that of
    /// `remote` first. What `local` inserts amid what `remote` drops stays where that was.
    static func rebase(_ local: [Move], over remote: [Move]) -> [Move] {
        var result: [Move] = []
        var ours = Cursor(moves: local)
        var theirs = Cursor(moves: remote)
        while true {
            if case .insert(_, let length)? = theirs.next {
                theirs.skip()
                result.append(.keep(length))
                continue
            }
            if let insert = ours.next, case .insert = insert {
                ours.skip()
                result.append(insert)
                continue
            }
            guard let our = ours.next, let their = theirs.next else { return result }
            let count = min(ours.count, theirs.count)
            switch (our, their) {
            case (.keep, .keep): result.append(.keep(count))
            case (.drop, .keep): result.append(.drop(count))
            // What was removed need neither be kept nor dropped.
            default: break
            }
            ours.advance(by: count)
            theirs.advance(by: count)
        }
    }

    /// A place in moves, which may be amid one.
    private struct Cursor {
        let moves: [Move]
        var place = 0
        var done = 0

        init(moves: [Move]) {
            // An empty one would hide the insertion after it.
            self.moves = moves.filter { move in
                switch move {
                case .keep(let count), .drop(let count): count > 0
                case .insert(_, let length): length > 0
                }
            }
        }

        var next: Move? { place < moves.count ? moves[place] : nil }

        /// Elements of the next move that are still to come.
        var count: Int {
            switch next {
            case .keep(let count)?, .drop(let count)?: count - done
            default: 0
            }
        }

        mutating func skip() {
            place += 1
            done = 0
        }

        mutating func advance(by steps: Int) {
            if steps >= count { skip() } else { done += steps }
        }
    }
}
