/// Searches texts for one regular expression and keeps what it has worked out.
///
/// Sets of states that the expression can be in at a time become states of their own when they are
/// first met, so that most bytes cost one look into a table. The table is bounded: when it is full
/// it is emptied, and a search continues from where it is. A byte therefore never costs more than
/// one walk over the states of the expression.
public struct RegexMatcher {
    private let program: RegexProgram
    /// Number of classes of bytes; the end of the text is one more.
    private let width: Int
    /// For every known set and class the number of the next set, or ``unknown`` or ``found``.
    private var table: [Int32] = []
    /// The known sets: before what the states continue to at once; the first element is what
    /// precedes, the others ascend.
    private var sets: [[Int32]] = []
    private var numbers: [[Int32]: Int32] = [:]
    /// Elements in all sets together.
    private var size = 0
    /// When each state was last visited, as a count of walks.
    private var visited: [Int]
    private var walk = 0
    private var stack: [Int32] = []

    private static let unknown: Int32 = -1
    private static let found: Int32 = -2
    /// The maximum number of sets that are cached at a time, and of elements in them.
    private static let maximumSets = 2_000
    private static let maximumSize = 200_000

    /// What precedes a place: nothing, a word character or another.
    private enum Before {
        static let start: Int32 = 0
        static let word: Int32 = 1
        static let other: Int32 = 2
    }

    /// A matcher for `regex` that has worked out nothing yet.
    public init(_ regex: LinearRegex) {
        program = regex.program
        width = regex.program.representatives.count
        visited = Array(repeating: 0, count: regex.program.states.count)
    }

    /// Whether the expression is found anywhere in `bytes`.
    public mutating func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let isSensitive = program.asksForStart || program.asksForBoundary
        var state = number(of: [isSensitive ? Before.start : Before.other, program.start])
        var position = 0
        while position < bytes.count {
            (state, position) = follow(bytes, from: position, state)
            if state == Self.found { return true }
            guard position < bytes.count else { break }
            state = step(state, Int(program.classes[Int(bytes[position])]))
            if state == Self.found { return true }
            position += 1
        }
        return isMatch(state)
    }

    /// Follows known steps as far as they go.
    private func follow(
        _ bytes: UnsafeRawBufferPointer, from start: Int, _ first: Int32
    ) -> (state: Int32, position: Int) {
        let width = width
        return program.classes.withUnsafeBufferPointer { classes in
            table.withUnsafeBufferPointer { table in
                var (state, position) = (first, start)
                while position < bytes.count {
                    let next = table[Int(state) * width + Int(classes[Int(bytes[position])])]
                    if next < 0 { return next == Self.found ? (next, position) : (state, position) }
                    state = next
                    position += 1
                }
                return (state, position)
            }
        }
    }

    /// Computes the successor of set number `state` for a byte of `byteClass`.
    private mutating func step(_ state: Int32, _ byteClass: Int) -> Int32 {
        let byte = program.representatives[byteClass]
        let isWord = Self.isWord(byte)
        let set = sets[Int(state)]
        let (targets, isMatch) = close(set, after: isWord ? Before.word : Before.other, byte)
        let next: Int32
        if isMatch {
            next = Self.found
        } else {
            let before = program.asksForBoundary && isWord ? Before.word : Before.other
            // A match may begin anywhere.
            let merged = Set(targets + [program.start]).sorted()
            let isKnown = numbers[[before] + merged] != nil
            if !isKnown, sets.count >= Self.maximumSets || size >= Self.maximumSize {
                sets = []
                numbers = [:]
                table = []
                size = 0
                return number(of: [before] + merged)
            }
            next = number(of: [before] + merged)
        }
        table[Int(state) * width + byteClass] = next
        return next
    }

    /// Whether the set number `state` matches at the end of the text.
    private mutating func isMatch(_ state: Int32) -> Bool {
        close(sets[Int(state)], after: nil, nil).isMatch
    }

    /// The number of `set`, which is kept if it is new.
    private mutating func number(of set: [Int32]) -> Int32 {
        if let known = numbers[set] { return known }
        let number = Int32(sets.count)
        sets.append(set)
        numbers[set] = number
        size += set.count
        table.append(contentsOf: repeatElement(Self.unknown, count: width))
        return number
    }

    /// Continues from the states of `set` without taking a byte, then takes `byte`.
    ///
    /// - Parameters:
    ///   - set: What precedes, and the states.
    ///   - after: What `byte` is; nil at the end of the text.
    ///   - byte: The byte to take; nil at the end of the text.
    /// - Returns: The states after the byte, and whether the expression matched before it.
    private mutating func close(
        _ set: [Int32], after: Int32?, _ byte: UInt8?
    ) -> (targets: [Int32], isMatch: Bool) {
        walk += 1
        stack.removeAll(keepingCapacity: true)
        stack.append(contentsOf: set.dropFirst())
        let before = set.first ?? Before.other
        var targets: [Int32] = []
        while let state = stack.popLast() {
            if visited[Int(state)] == walk { continue }
            visited[Int(state)] = walk
            switch program.states[Int(state)] {
            case .match: return ([], true)
            case .split(let next): stack.append(contentsOf: next)
            case .save(_, let next): stack.append(next)
            case .assertion(let assertion, let next):
                if Self.holds(assertion, before, after) { stack.append(next) }
            case .take(let steps):
                guard let byte else { continue }
                for step in steps where step.bytes.contains(byte) { targets.append(step.next) }
            }
        }
        return (targets, false)
    }

    private static func holds(
        _ assertion: RegexSyntax.Assertion, _ before: Int32, _ after: Int32?
    ) -> Bool {
        let isBoundary = (before == Before.word) != (after == Before.word)
        return switch assertion {
        case .start: before == Before.start
        case .end: after == nil
        case .boundary: isBoundary
        case .noBoundary: !isBoundary
        }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: true
        default: false
        }
    }
}
