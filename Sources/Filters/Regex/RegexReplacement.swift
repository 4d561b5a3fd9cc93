/// A text in place of each match of a regular expression, with what its groups matched.
///
/// `$1` … `$99` and `${1}` stand for groups, `$0` for the whole match, `$$` for a dollar sign; any other
/// dollar sign for itself. A group that takes no part is empty.
public struct RegexReplacement: Sendable {
    /// What is wrong with a replacement.
    public enum Mistake: Error, Hashable, Sendable, CustomStringConvertible {
        /// It refers to a group that the expression does not have.
        case noGroup(Int, of: Int)
        /// The expression is too large where its groups are noted.
        case expression(RegexError)

        /// The mistake and how to correct it, in one line.
        public var description: String {
            switch self {
            case .noGroup(let number, let groups):
                "$\(number) is no group, the expression has \(groups) of them; "
                    + "$$ is a dollar sign"
            case .expression(let error): error.description
            }
        }
    }

    private enum Part {
        case text([UInt8])
        case match
        case group(Int)
    }

    let search: RegexSearch
    private let captures: RegexCaptures?
    /// The most bytes that a match has; nil where there is no most.
    public let longestMatch: Int?
    private let parts: [Part]

    /// Puts `text` in place of the matches of `regex`.
    ///
    /// - Throws: ``Mistake``.
    public init(_ text: String, for regex: LinearRegex) throws(Mistake) {
        search = RegexSearch(regex)
        longestMatch =
            (try? RegexParser.parse(regex.pattern, caseInsensitive: false))?.longestMatch
        parts = Self.parts(Array(text.utf8))
        let numbers = parts.compactMap { if case .group(let number) = $0 { number } else { nil } }
        guard let most = numbers.max() else {
            captures = nil
            return
        }
        let captures: RegexCaptures
        do throws(RegexError) {
            captures = try RegexCaptures(regex)
        } catch {
            throw .expression(error)
        }
        guard most <= captures.groups else { throw .noGroup(most, of: captures.groups) }
        self.captures = captures
    }

    private static func parts(_ text: [UInt8]) -> [Part] {
        var parts: [Part] = []
        var literal: [UInt8] = []
        var place = 0
        while place < text.count {
            guard text[place] == UInt8(ascii: "$"), let reference = reference(text[place...]) else {
                literal.append(text[place])
                place += 1
                continue
            }
            place += reference.length
            guard let number = reference.number else {
                literal.append(UInt8(ascii: "$"))
                continue
            }
            if !literal.isEmpty { parts.append(.text(literal)) }
            literal = []
            parts.append(number == 0 ? .match : .group(number))
        }
        return literal.isEmpty ? parts : parts + [.text(literal)]
    }

    /// What a dollar sign begins: a group, or for nil a dollar sign; nil where it is but itself.
    private static func reference(
        _ text: ArraySlice<UInt8>
    ) -> (number: Int?, length: Int)? {
        let rest = text.dropFirst()
        if rest.first == UInt8(ascii: "$") { return (nil, 2) }
        let isBraced = rest.first == UInt8(ascii: "{")
        let digits = rest.dropFirst(isBraced ? 1 : 0).prefix(2).prefix {
            (0x30...0x39).contains($0)
        }
        guard !digits.isEmpty else { return nil }
        let number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        guard isBraced else { return (number, 1 + digits.count) }
        guard digits.endIndex < text.endIndex, text[digits.endIndex] == UInt8(ascii: "}") else {
            return nil
        }
        return (number, digits.count + 3)
    }

    /// `bytes` with the text in place of each match.
    ///
    /// - Throws: ``RegexSearch/TooLong``.
    public func applied(to bytes: [UInt8]) throws(RegexSearch.TooLong) -> [UInt8] {
        var result: [UInt8] = []
        var place = 0
        for match in try search.ranges(in: bytes) {
            result += bytes[place..<match.lowerBound]
            append(match, bytes, to: &result)
            place = match.upperBound
        }
        return result + bytes[place...]
    }

    /// The text for a match in `bytes`, appended to `result`.
    func append(_ match: Range<Int>, _ bytes: [UInt8], to result: inout [UInt8]) {
        let groups = captures?.groups(of: match, in: bytes) ?? []
        for part in parts {
            switch part {
            case .text(let text): result += text
            case .match: result += bytes[match]
            case .group(let number):
                if let range = groups[number - 1] { result += bytes[range] }
            }
        }
    }
}
