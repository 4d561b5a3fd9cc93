/// Finds the places at which a regular expression matches a text.
///
/// Of the matches that begin first the longest is taken, and the next begins behind it. All states of
/// the expression are followed at once, so that a byte costs at most one walk over them; where
/// matches leave so much to be looked at again that time would not be linear, the search stops.
public struct RegexSearch: Sendable {
    /// A search that was stopped since it would have taken too long.
    public struct TooLong: Error, Hashable, Sendable {}

    private let program: RegexProgram

    /// Walks over states that a byte of the text may cost on average.
    private static let effort = 16

    /// A search for `regex`.
    public init(_ regex: LinearRegex) { program = regex.program }

    /// The ranges of all matches in `bytes`, in order; empty ones are left out.
    ///
    /// - Throws: ``TooLong``.
    public func ranges(in bytes: [UInt8]) throws(TooLong) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var walk = Walk(program)
        var place = 0
        var left = (bytes.count + 1) * Self.effort
        while place <= bytes.count, let match = try walk.first(in: bytes, from: place, &left) {
            if !match.isEmpty { found.append(match) }
            place = max(match.upperBound, match.lowerBound + 1)
        }
        return found
    }
}

/// The states of an expression at one place of a text, each with where its match began.
private struct Walk {
    private let program: RegexProgram
    /// Where the match that reached a state began; the least of several.
    private var starts: [Int]
    private var visited: [Int]
    private var count = 0

    init(_ program: RegexProgram) {
        self.program = program
        starts = Array(repeating: 0, count: program.states.count)
        visited = Array(repeating: 0, count: program.states.count)
    }

    /// The longest of the first matches from a place on; nil without one.
    mutating func first(
        in bytes: [UInt8], from first: Int, _ left: inout Int
    ) throws(RegexSearch.TooLong) -> Range<Int>? {
        var active: [(state: Int32, start: Int)] = []
        var best: Range<Int>?
        var place = first
        while true {
            guard left > 0 else { throw RegexSearch.TooLong() }
            left -= 1
            if best == nil { active.append((program.start, place)) }
            let before = place == 0 ? nil : bytes[place - 1]
            let byte = place < bytes.count ? bytes[place] : nil
            var next: [(state: Int32, start: Int)] = []
            follow(active, before, byte, isStart: place == 0, at: place, &best, &next)
            // What began later than the best is of no use.
            if let best { next.removeAll { $0.start > best.lowerBound } }
            guard byte != nil, !(next.isEmpty && best != nil) else { return best }
            active = next
            place += 1
        }
    }

    /// Continues from `active` without taking a byte, then takes `byte`.
    private mutating func follow(
        _ active: [(state: Int32, start: Int)], _ before: UInt8?, _ byte: UInt8?, isStart: Bool,
        at place: Int, _ best: inout Range<Int>?, _ next: inout [(state: Int32, start: Int)]
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
            case .assertion(let assertion, let target):
                if Self.holds(assertion, before, byte, isStart) { stack.append((target, start)) }
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

    private static func holds(
        _ assertion: RegexSyntax.Assertion, _ before: UInt8?, _ after: UInt8?, _ isStart: Bool
    ) -> Bool {
        let isBoundary = isWord(before) != isWord(after)
        return switch assertion {
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
