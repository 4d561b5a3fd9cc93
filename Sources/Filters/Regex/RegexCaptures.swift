/// Finds where the groups of a regular expression match within a match of the whole.
///
/// Of the ways in which an expression matches a range, groups are taken from the one in which the first
/// alternatives and the longest repetitions come first. All states are followed at once, as in
/// ``RegexSearch``: a byte costs at most one walk over them.
public struct RegexCaptures: Sendable {
    private let program: RegexProgram

    /// The number of groups.
    public var groups: Int { program.groups }

    /// The groups of `regex`.
    ///
    /// - Throws: ``RegexError`` where noting them makes the expression too large.
    public init(_ regex: LinearRegex) throws(RegexError) {
        program = try RegexProgram(
            RegexParser.parse(regex.pattern, caseInsensitive: false), capturing: true)
    }

    /// A way through the expression, with the places that it noted.
    private struct Thread {
        var state: Int32
        /// Start and end of each group; -1 where it has none.
        var places: [Int]
    }

    /// Where each group matches, in the order of their opening parentheses.
    ///
    /// - Parameters:
    ///   - match: The range that the whole expression matches.
    ///   - bytes: The text.
    /// - Returns: For each group its range, the last one of a group that is repeated; nil for a group
    ///   that takes no part.
    public func groups(of match: Range<Int>, in bytes: [UInt8]) -> [Range<Int>?] {
        var visited = [Int](repeating: -1, count: program.states.count)
        var threads = [
            Thread(
                state: program.start, places: Array(repeating: -1, count: 2 * (groups + 1)))
        ]
        for place in match.lowerBound...match.upperBound {
            let before = place == 0 ? nil : bytes[place - 1]
            let byte = place < bytes.count ? bytes[place] : nil
            var next: [Thread] = []
            var stack = Array(threads.reversed())
            while let thread = stack.popLast() {
                guard visited[Int(thread.state)] != place else { continue }
                visited[Int(thread.state)] = place
                switch program.states[Int(thread.state)] {
                case .match:
                    if place == match.upperBound { return ranges(thread.places) }
                case .split(let targets):
                    for target in targets.reversed() {
                        stack.append(Thread(state: target, places: thread.places))
                    }
                case .save(let slot, let target):
                    var places = thread.places
                    places[slot] = place
                    stack.append(Thread(state: target, places: places))
                case .assertion(let assertion, let target):
                    if assertion.holds(before, byte, isStart: place == 0) {
                        stack.append(Thread(state: target, places: thread.places))
                    }
                case .take(let steps):
                    guard let byte, place < match.upperBound else { continue }
                    for step in steps where step.bytes.contains(byte) {
                        next.append(Thread(state: step.next, places: thread.places))
                    }
                }
            }
            threads = next
        }
        return Array(repeating: nil, count: groups)
    }

    private func ranges(_ places: [Int]) -> [Range<Int>?] {
        (0..<groups).map { group in
            let (start, end) = (places[2 * group + 2], places[2 * group + 3])
            // A group that was entered again and not left has the end of the time before.
            return start >= 0 && end >= start ? start..<end : nil
        }
    }
}
