/// Finds the places at which a regular expression matches a text.
///
/// Of the matches that begin first the longest is taken, and the next begins behind it. All states of
/// the expression are followed at once, so that a byte costs at most one walk over them; where
/// matches leave so much to be looked at again that time would not be linear, the search stops.
public struct RegexSearch: Sendable {
    /// A search that was stopped since it would have taken too long.
    public struct TooLong: Error, Hashable, Sendable {}

    let program: RegexProgram

    /// Walks over states that a byte of the text may cost on average.
    static let effort = 16

    /// A search for `regex`.
    public init(_ regex: LinearRegex) { program = regex.program }

    /// The ranges of all matches in `bytes`, in order; empty ones are left out.
    ///
    /// - Throws: ``TooLong``.
    public func ranges(in bytes: [UInt8]) throws(TooLong) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var walk = RegexWalk(program)
        walk.left = (bytes.count + 1) * Self.effort
        while let match = try walk.next(in: bytes, isWhole: true) {
            if !match.isEmpty { found.append(match) }
        }
        return found
    }
}

/// The states of an expression at one place of a text, each with where its match began.
///
/// The text may come piece by piece: a walk stops where it has to know more.
struct RegexWalk {
    private let program: RegexProgram
    /// Where the match that reached a state began; the least of several.
    private var starts: [Int]
    private var visited: [Int]
    private var count = 0
    private var active: [(state: Int32, start: Int)] = []
    private var best: Range<Int>?
    /// The next place to be looked at.
    private(set) var place = 0
    /// Walks over states that are left.
    var left = 0
    /// Whether places are counted from the start of the text.
    var isAtStart = true

    /// A walk from the start of a text on.
    init(_ program: RegexProgram) {
        self.program = program
        starts = Array(repeating: 0, count: program.states.count)
        visited = Array(repeating: 0, count: program.states.count)
    }

    /// The first byte that a match in progress may have; the next place without one.
    var earliest: Int { min(best?.lowerBound ?? place, active.map(\.start).min() ?? place) }

    /// Goes on in a text whose first `count` bytes are gone.
    mutating func drop(_ count: Int) {
        guard count > 0 else { return }
        isAtStart = false
        place -= count
        for index in active.indices { active[index].start -= count }
        best = best.map { $0.lowerBound - count..<$0.upperBound - count }
    }

    /// The longest of the first matches from the current place on; the next search begins behind it.
    ///
    /// - Parameters:
    ///   - bytes: The text, with the byte before the current place.
    ///   - isWhole: Whether nothing follows `bytes`.
    /// - Returns: The match, which may be empty; nil where there is none, or more has to be known.
    /// - Throws: ``RegexSearch/TooLong``.
    mutating func next(
        in bytes: [UInt8], isWhole: Bool
    ) throws(RegexSearch.TooLong) -> Range<Int>? {
        while place < bytes.count || isWhole && place == bytes.count {
            if active.isEmpty, best == nil, !program.needsEveryPlace {
                // Most bytes begin no match.
                while place < bytes.count, !program.begins[Int(bytes[place])] { place += 1 }
                if place == bytes.count, !isWhole { return nil }
            }
            guard left > 0 else { throw RegexSearch.TooLong() }
            left -= 1
            if best == nil { active.append((program.start, place)) }
            let before = place == 0 ? nil : bytes[place - 1]
            let byte = place < bytes.count ? bytes[place] : nil
            var next: [(state: Int32, start: Int)] = []
            follow(active, before, byte, isStart: isAtStart && place == 0, &next)
            // What began later than the best is of no use.
            if let best { next.removeAll { $0.start > best.lowerBound } }
            active = next
            guard byte != nil, !(next.isEmpty && best != nil) else { return end() }
            place += 1
        }
        return nil
    }

    /// Ends a search; the next one begins behind its match, or behind the text.
    private mutating func end() -> Range<Int>? {
        defer {
            active = []
            best = nil
        }
        guard let best else {
            place += 1
            return nil
        }
        place = max(best.upperBound, best.lowerBound + 1)
        return best
    }

    /// Continues from `active` without taking a byte, then takes `byte`.
    private mutating func follow(
        _ active: [(state: Int32, start: Int)], _ before: UInt8?, _ byte: UInt8?, isStart: Bool,
        _ next: inout [(state: Int32, start: Int)]
    ) {
        count += 1
        var stack = Array(active.reversed())
        while let (state, start) = stack.popLast() {
            if visited[Int(state)] == count, starts[Int(state)] <= start { continue }
            visited[Int(state)] = count
            starts[Int(state)] = start
            switch program.states[Int(state)] {
            case .match:
                let known = best?.lowerBound ?? .max
                if start <= known { best = start..<place }
            case .split(let targets):
                stack.append(contentsOf: targets.map { ($0, start) })
            case .save(_, let target): stack.append((target, start))
            case .assertion(let assertion, let target):
                if assertion.holds(before, byte, isStart: isStart) {
                    stack.append((target, start))
                }
            case .take(let steps):
                guard let byte else { continue }
                for step in steps where step.bytes.contains(byte) {
                    next.append((step.next, start))
                }
            }
        }
        // The earliest start wins a state.
        next.sort { ($0.start, $0.state) < ($1.start, $1.state) }
    }
}

extension RegexSyntax.Assertion {
    /// Whether it holds between two bytes; nil stands for an end of the text.
    func holds(_ before: UInt8?, _ after: UInt8?, isStart: Bool) -> Bool {
        let isBoundary = Self.isWord(before) != Self.isWord(after)
        return switch self {
        case .start: isStart
        case .end: after == nil
        case .boundary: isBoundary
        case .noBoundary: !isBoundary
        }
    }

    private static func isWord(_ byte: UInt8?) -> Bool {
        guard let byte else { return false }
        return switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: true
        default: false
        }
    }
}
