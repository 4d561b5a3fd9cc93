import Testing

@testable import Filters

struct RegexReplacementTests {
    private func replaced(_ pattern: String, _ text: String, in input: String) throws -> String {
        let replacement = try RegexReplacement(text, for: LinearRegex(pattern))
        return String(decoding: try replacement.applied(to: Array(input.utf8)), as: UTF8.self)
    }

    @Test(arguments: [
        ("(a)(b)?", "[$1|$2]", "ab a", "[a|b] [a|]"), ("a(x)|b(y)", "$1$2", "ax by", "x y"),
        ("(\\w+) (\\w+)", "$2 $1", "one two three", "two one three"),
        ("(a+)(a*)", "$1-$2", "aaa", "aaa-"), ("(?:a)(b)", "$1", "ab", "b"),
        ("((a)(b))", "$3$2$1", "ab", "baab"), ("(a|b)+", "<$1>", "abab", "<b>"),
        ("a", "$0$0", "ba", "baa"), ("(a)", "${1}0", "a", "a0"), ("a", "$$1", "a", "$1"),
        ("a", "$x$", "a", "$x$"), ("(a)", "${1", "a", "${1"), ("(?i)(é)", "[$1]", "É", "[É]"),
        ("^(.)(.*)$", "$2$1", "abc", "bca"), ("x", "y", "", ""),
        ("(a)\\b", "<$1>", "ab a", "ab <a>"),
    ])
    func `what groups matched`(
        pattern: String, text: String, input: String, expected: String
    ) throws {
        #expect(try replaced(pattern, text, in: input) == expected)
    }

    @Test(arguments: [("a", "$1"), ("(a)", "$2"), ("(?:a)", "$1"), ("(a)", "$10")])
    func `a group that there is not`(pattern: String, text: String) {
        #expect(throws: RegexReplacement.Mistake.self) { try replaced(pattern, text, in: "") }
    }

    /// The groups are those that the standard library finds in the same match.
    @Test(arguments: 0..<300 as Range<UInt64>)
    func `groups as another implementation finds them`(seed: UInt64) throws {
        var draws = Seeded(seed)
        let parts = [
            "(a)", "(b|ab)", "(a+)", "(b*)", "((a)|(b))+", "(?:a|b)", "(a?)(b?)", "c",
            "([ab]{1,3})",
        ]
        let pattern = (0..<Int.random(in: 1...4, using: &draws)).map { _ in
            parts.randomElement(using: &draws) ?? "a"
        }.joined()
        let text = (0..<Int.random(in: 0...12, using: &draws)).map { _ in
            ["a", "b", "c"].randomElement(using: &draws) ?? "a"
        }.joined()
        let regex = try LinearRegex(pattern)
        let other = try Regex(pattern)
        let bytes = Array(text.utf8)
        let captures = try RegexCaptures(regex)
        for match in try RegexSearch(regex).ranges(in: bytes) {
            let whole = String(decoding: bytes[match], as: UTF8.self)
            let found = try #require(try other.wholeMatch(in: whole), "\(pattern) in \(whole)")
            let expected = found.output.dropFirst().map { $0.substring.map(String.init) }
            let groups = captures.groups(of: match, in: bytes).map { range in
                range.map { String(decoding: bytes[$0], as: UTF8.self) }
            }
            #expect(groups == expected, "\(pattern) in \(whole)")
        }
    }

    @Test func `many groups in a long text take linear time`() throws {
        let text = String(repeating: "key=value;", count: 20_000)
        let turned = try replaced("(\\w+)=(\\w+)", "$2=$1", in: text)
        #expect(turned == text.replacing("key=value", with: "value=key"))
        let whole = try replaced("((a|b)*)", "$2", in: String(repeating: "ab", count: 50_000))
        #expect(whole == "b")
    }

    /// Piece by piece is the same as at once, and no more is held than a match has.
    @Test(arguments: 0..<300 as Range<UInt64>)
    func `a stream makes what the whole makes`(seed: UInt64) throws {
        var draws = Seeded(seed)
        let parts = [
            "a", "(b|ab)", "(ab){1,2}", "b?", "\\b", "^", "$", "[ab]c", "(a)(b)", ".", "\\B",
            "(?:c|ca)",
        ]
        let pattern = (0..<Int.random(in: 1...4, using: &draws)).map { _ in
            parts.randomElement(using: &draws) ?? "a"
        }.joined()
        let text = (0..<Int.random(in: 0...40, using: &draws)).map { _ in
            ["a", "b", "c", " ", "é"].randomElement(using: &draws) ?? "a"
        }.joined()
        let hasGroups = pattern.contains("(a") || pattern.contains("(b")
        let regex = try LinearRegex(pattern)
        let replacement = try RegexReplacement(hasGroups ? "<$1$0>" : "<$0>", for: regex)
        let longest = try #require(replacement.longestMatch)
        var stream = RegexReplacementStream(replacement)
        var output: [UInt8] = []
        var taken = 0
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...7, using: &draws))
            rest = rest.dropFirst(piece.count)
            taken += piece.count
            output += stream.take(piece)
        }
        output += stream.finish()
        #expect(output == (try replacement.applied(to: Array(text.utf8))), "\(pattern) in \(text)")
        #expect(longest <= 40)
    }

    @Test func `a stream gives out what no match can have`() throws {
        let replacement = try RegexReplacement("x", for: LinearRegex("one{1,3}"))
        var stream = RegexReplacementStream(replacement)
        #expect(String(decoding: stream.take("two on".utf8), as: UTF8.self) == "two ")
        #expect(String(decoding: stream.take("e".utf8), as: UTF8.self) == "")
        #expect(String(decoding: stream.take("ee".utf8), as: UTF8.self) == "")
        #expect(String(decoding: stream.take(" o".utf8), as: UTF8.self) == "x ")
        #expect(String(decoding: stream.finish(), as: UTF8.self) == "o")
    }

    @Test(arguments: [
        ("abc", 12), ("a{2,5}", 20), ("a|bcd", 12), ("a*", nil), ("(a+)?", nil), ("a{2,}", nil),
        ("^$", 0),
        ("(a{1000}){3}", 12_000),
    ])
    func `the longest match`(pattern: String, longest: Int?) throws {
        #expect(try RegexReplacement("", for: LinearRegex(pattern)).longestMatch == longest)
    }
}
