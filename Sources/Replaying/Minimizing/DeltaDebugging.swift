/// Finds a set of units that still fails and of which none can be left out.
///
/// The caller tries what ``candidate()`` returns and reports the result with ``reported(fails:)``,
/// until there is no candidate any more. Nothing is tried twice. For `n` units of which `m` are
/// needed it takes about `m * log n` tries where the needed ones are adjacent, and `n * n` at
/// worst. Source: Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002.
public struct DeltaDebugging: Sendable {
    private enum Turn: Hashable, Sendable {
        /// The empty set, the cheapest possible result.
        case nothing
        /// One of the parts, alone.
        case part(Int)
        /// All parts but one.
        case allBut(Int)
        case over
    }

    /// Numbers of the units that fail together, ascending.
    public private(set) var kept: [Int]
    /// Into how many parts they are divided.
    private var parts = 2
    private var turn = Turn.nothing
    private var known: Set<[Int]> = []

    /// A search among units 0..<`count`, which fail together.
    public init(count: Int) {
        kept = Array(0..<max(0, count))
        if kept.isEmpty { turn = .over }
    }

    /// The units to try next, ascending; nil when ``kept`` is what was looked for.
    public mutating func candidate() -> [Int]? {
        while true {
            let candidate: [Int]
            switch turn {
            case .over: return nil
            case .nothing: candidate = []
            case .part(let index): candidate = Array(kept[range(index)])
            case .allBut(let index):
                let range = range(index)
                candidate = Array(kept[..<range.lowerBound] + kept[range.upperBound...])
            }
            if candidate.count < kept.count, known.insert(candidate).inserted { return candidate }
            advance()
        }
    }

    /// Records the result of the last candidate.
    ///
    /// - Parameter fails: Whether it still fails.
    public mutating func report(fails: Bool) {
        guard fails else { return advance() }
        switch turn {
        case .over: return
        case .nothing:
            kept = []
            turn = .over
        case .part(let index):
            kept = Array(kept[range(index)])
            parts = 2
            restart()
        case .allBut(let index):
            let range = range(index)
            kept.removeSubrange(range)
            parts = max(2, parts - 1)
            // What was before it has just been tried with more around it: the rest is likelier.
            if index < parts, kept.count > 1 { turn = .allBut(index) } else { restart() }
        }
        if kept.count == 1, turn != .over { turn = .over }
    }

    private mutating func restart() {
        parts = min(parts, kept.count)
        turn = kept.count > 1 ? .part(0) : .over
    }

    private mutating func advance() {
        switch turn {
        case .over: return
        case .nothing: restart()
        case .part(let index):
            // Of two parts the complement of one is the other.
            turn = index + 1 < parts ? .part(index + 1) : parts > 2 ? .allBut(0) : finer
        case .allBut(let index):
            turn = index + 1 < parts ? .allBut(index + 1) : finer
        }
    }

    private var finer: Turn {
        mutating get {
            guard parts < kept.count else { return .over }
            parts = min(2 * parts, kept.count)
            return .part(0)
        }
    }

    /// The places of a part in ``kept``.
    private func range(_ part: Int) -> Range<Int> {
        kept.count * part / parts..<kept.count * (part + 1) / parts
    }
}
