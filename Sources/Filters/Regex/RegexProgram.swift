/// A regular expression as a machine with several states at a time, over the bytes of UTF-8.
///
/// Source: K. Thompson, "Regular Expression Search Algorithm", 1968; the ranges of UTF-8 as in the
/// table 3-7 of the Unicode Standard.
struct RegexProgram: Hashable, Sendable {
    /// What happens in a state.
    enum State: Hashable, Sendable {
        /// Continues at once to all of these states.
        case split([Int32])
        /// Continues at once if the place is right.
        case assertion(RegexSyntax.Assertion, next: Int32)
        /// Consumes a byte and continues where it is in the range of a step.
        case take([Step])
        /// Notes the place, as the start (even) or the end (odd) of group half of it, and continues.
        case save(Int, next: Int32)
        /// The expression has matched.
        case match
    }

    /// Where a state goes when it takes a byte.
    struct Step: Hashable, Sendable {
        /// The bytes.
        var bytes: ClosedRange<UInt8>
        /// The state after them.
        var next: Int32
    }

    /// The states.
    private(set) var states: [State] = [.match]
    /// The state at the beginning.
    private(set) var start: Int32 = 0
    /// For every byte the number of its class: bytes of one class always lead to the same state.
    private(set) var classes: [UInt8] = []
    /// One byte of every class.
    private(set) var representatives: [UInt8] = []
    /// Whether the start of the text matters.
    private(set) var asksForStart = false
    /// The number of groups whose places are noted; 0 where none are.
    private(set) var groups = 0
    private let capturing: Bool
    /// Whether word boundaries matter.
    private(set) var asksForBoundary = false
    /// Whether each byte can be the first of a match.
    private(set) var begins = [Bool](repeating: false, count: 256)
    /// Whether it can match nothing, so that a match may begin anywhere.
    private(set) var needsEveryPlace = false
    /// Work done in building, which repetitions of nothing also come to.
    private var work = 0

    /// The machine for `syntax`; a `capturing` one notes the places of groups.
    init(_ syntax: RegexSyntax, capturing: Bool = false) throws(RegexError) {
        self.capturing = capturing
        start = try add(syntax, next: 0)
        var edges = [Bool](repeating: false, count: 257)
        edges[0] = true
        for case .take(let steps) in states {
            for step in steps {
                edges[Int(step.bytes.lowerBound)] = true
                edges[Int(step.bytes.upperBound) + 1] = true
            }
        }
        if asksForBoundary {
            for range in ScalarSet.wordCharacters.ranges {
                edges[Int(range.lowerBound)] = true
                edges[Int(range.upperBound) + 1] = true
            }
        }
        for byte in 0...UInt8.max {
            if edges[Int(byte)] { representatives.append(byte) }
            classes.append(UInt8(representatives.count - 1))
        }
        findBeginnings()
    }

    /// Finds the bytes with which a match can begin.
    private mutating func findBeginnings() {
        var visited = Set<Int32>()
        var stack = [start]
        while let state = stack.popLast() {
            guard visited.insert(state).inserted else { continue }
            switch states[Int(state)] {
            case .match: needsEveryPlace = true
            case .split(let targets): stack += targets
            case .save(_, let target), .assertion(_, let target): stack.append(target)
            case .take(let steps):
                for step in steps {
                    for byte in step.bytes { begins[Int(byte)] = true }
                }
            }
        }
    }

    private mutating func add(_ state: State) throws(RegexError) -> Int32 {
        guard states.count < LinearRegex.maximumStates else {
            throw RegexError(.tooLarge, 0..<1)
        }
        states.append(state)
        return Int32(states.count - 1)
    }

    /// Adds the states for `syntax`, after which the machine is in `next`.
    ///
    /// - Returns: The first of them.
    private mutating func add(
        _ syntax: RegexSyntax, next: Int32
    ) throws(RegexError) -> Int32 {
        work += 1
        guard work <= 100 * LinearRegex.maximumStates else { throw RegexError(.tooLarge, 0..<1) }
        switch syntax {
        case .empty: return next
        case .scalar(let set): return try add(set, next: next)
        case .sequence(let items):
            var next = next
            for item in items.reversed() { next = try add(item, next: next) }
            return next
        case .choice(let branches):
            var starts: [Int32] = []
            for branch in branches { starts.append(try add(branch, next: next)) }
            return try add(.split(starts))
        case .repetition(let item, let least, let most):
            var first = next
            if let most {
                for _ in 0..<max(0, most - least) {
                    first = try add(.split([try add(item, next: first), next]))
                }
            } else {
                let loop = try add(.split([next]))
                states[Int(loop)] = .split([try add(item, next: loop), next])
                first = loop
            }
            for _ in 0..<least { first = try add(item, next: first) }
            return first
        case .group(let inner, let number):
            guard capturing else { return try add(inner, next: next) }
            groups = max(groups, number)
            let end = try add(.save(2 * number + 1, next: next))
            return try add(.save(2 * number, next: try add(inner, next: end)))
        case .assertion(let assertion):
            switch assertion {
            case .start: asksForStart = true
            case .end: break
            case .boundary, .noBoundary: asksForBoundary = true
            }
            return try add(.assertion(assertion, next: next))
        }
    }

    /// Adds the states that take one scalar of `set`.
    private mutating func add(_ set: ScalarSet, next: Int32) throws(RegexError) -> Int32 {
        var steps: [Step] = []
        // States of the following bytes, by their steps, so that equal ends are shared.
        var shared: [[Step]: Int32] = [:]
        for range in set.ranges {
            for sequence in UTF8Ranges.of(range) {
                var target = next
                for bytes in sequence.dropFirst().reversed() {
                    let rest = [Step(bytes: bytes, next: target)]
                    if let known = shared[rest] {
                        target = known
                    } else {
                        target = try add(.take(rest))
                        shared[rest] = target
                    }
                }
                if let first = sequence.first { steps.append(Step(bytes: first, next: target)) }
            }
        }
        return try add(.take(steps))
    }
}
