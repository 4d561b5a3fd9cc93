/// Replaces the matches of a regular expression in a text that comes piece by piece.
///
/// The result is that of ``RegexReplacement/applied(to:)`` for the whole text. What may belong to a match
/// is held back, which is at most ``RegexReplacement/longestMatch`` bytes; all before it is given out.
public struct RegexReplacementStream: Sendable {
    private let replacement: RegexReplacement
    private var walk: RegexWalk
    /// What is not given out, with the byte before it.
    private var held: [UInt8] = []
    /// Where in ``held`` what is not given out begins.
    private var start = 0
    /// Whether the search took too long: what follows stays as it is.
    public private(set) var isGivenUp = false

    /// A stream before its first byte.
    public init(_ replacement: RegexReplacement) {
        self.replacement = replacement
        walk = RegexWalk(replacement.search.program)
        walk.left = RegexSearch.effort
    }

    /// Takes the next piece, and returns what can be given out.
    public mutating func take(_ bytes: some Collection<UInt8>) -> [UInt8] {
        held.append(contentsOf: bytes)
        walk.left += bytes.count * RegexSearch.effort
        return run(isWhole: false)
    }

    /// Ends the text, and returns what is left of it.
    public mutating func finish() -> [UInt8] { run(isWhole: true) }

    private mutating func run(isWhole: Bool) -> [UInt8] {
        var output: [UInt8] = []
        do throws(RegexSearch.TooLong) {
            while !isGivenUp, let match = try walk.next(in: held, isWhole: isWhole) {
                output += held[start..<match.lowerBound]
                start = match.lowerBound
                guard !match.isEmpty else { continue }
                replacement.append(match, held, to: &output)
                start = match.upperBound
            }
        } catch {
            isGivenUp = true
        }
        let end = isGivenUp || isWhole ? held.count : max(start, walk.earliest)
        output += held[start..<end]
        start = end
        // One byte before stays: word boundaries depend on it.
        let gone = max(0, start - 1)
        held.removeFirst(gone)
        start -= gone
        walk.drop(gone)
        return output
    }
}
