extension StringDelta {
    /// What is left of this delta to be done once `remote` has been: a rebase.
    ///
    /// Both are for `base`; the result is for what `remote` makes of it. Text that both insert at one
    /// place stays twice, that of `remote` first, even where it is the same text, as in the
    /// reference; text that both drop is dropped once. Insertions at one place therefore end up in
    /// another order if the other side is rebased; everything else converges.
    ///
    /// The reference patches by similarity and compares again; this counts positions, so that no
    /// change lands where it only looks right.
    ///
    /// - Parameters:
    ///   - remote: What was done first.
    ///   - base: What both are for.
    /// - Returns: A delta for `remote` applied to `base` that splits no surrogate pair.
    /// - Throws: ``DeltaError`` where one of them is not for `base`.
    public func transform(
        over remote: StringDelta, base: String
    ) throws(DeltaError) -> StringDelta {
        let local = try splittingNoPair(of: base)
        let remote = try remote.splittingNoPair(of: base)
        let moves = Move.rebase(local.moves, over: remote.moves)
        return StringDelta(
            steps: moves.map { move in
                switch move {
                case .keep(let count): .keep(count)
                case .drop(let count): .drop(count)
                case .insert(let id, _): local.steps[id]
                }
            })
    }

    /// One of the same effect whose steps begin and end between code points.
    private func splittingNoPair(of base: String) throws(DeltaError) -> StringDelta {
        let result = try apply(to: base)
        return splitsPair(of: base)
            ? Self.diff(from: base, to: result) : StringDelta(steps: steps)
    }

    /// The steps by length; the `id` of an insertion is its place among them.
    private var moves: [Move] {
        steps.enumerated().map { place, step in
            switch step {
            case .keep(let count): .keep(count)
            case .drop(let count): .drop(count)
            case .insert(let text): .insert(id: place, length: text.utf16.count)
            }
        }
    }
}
