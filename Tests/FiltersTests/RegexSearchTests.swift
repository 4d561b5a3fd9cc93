import Testing

@testable import Filters

struct RegexSearchTests {
    @Test(arguments: [
        ("a", "banana", ["a", "a", "a"]), ("an|ana", "banana", ["ana"]),
        ("a+", "aabaaa", ["aa", "aaa"]), ("b|ab", "abb", ["ab", "b"]), ("x", "abc", []),
        ("a*", "baab", ["aa"]), ("^a", "aab", ["a"]), ("a$", "aba", ["a"]),
        ("\\bfoo\\b", "foo foot foo", ["foo", "foo"]), (".", "é🎉", ["é", "🎉"]),
        ("(?i)ab", "abABaB", ["ab", "AB", "aB"]),
        ("\"v\":\\d+", #"{"v":12,"v":3}"#, ["\"v\":12", "\"v\":3"]),
    ])
    func `finds the longest of the first`(
        pattern: String, text: String, expected: [String]
    ) throws {
        let bytes = Array(text.utf8)
        let found = try RegexSearch(LinearRegex(pattern)).ranges(in: bytes)
        #expect(found.map { String(decoding: bytes[$0], as: UTF8.self) } == expected)
    }

    /// What a search finds is what trying all ranges finds.
    @Test(arguments: 0..<300 as Range<UInt64>)
    func `finds what trying every range finds`(seed: UInt64) throws {
        var draws = Seeded(seed)
        let parts = ["a", "b", ".", "[ab]", "(a|bb)", "a*", "b+", "(ab)*", "b?", "\\b", "c"]
        let pattern = (0..<Int.random(in: 1...4, using: &draws)).map { _ in
            parts.randomElement(using: &draws) ?? "a"
        }.joined()
        let text = (0..<Int.random(in: 0...14, using: &draws)).map { _ in
            ["a", "b", "c", " "].randomElement(using: &draws) ?? "a"
        }.joined()
        let bytes = Array(text.utf8)
        let found = try RegexSearch(LinearRegex(pattern)).ranges(in: bytes)
        var expected: [Range<Int>] = []
        var start = 0
        while start <= bytes.count {
            let end = try (start...bytes.count).last {
                try Self.matches(pattern, bytes, start..<$0)
            }
            guard let end else {
                start += 1
                continue
            }
            if end > start { expected.append(start..<end) }
            start = max(end, start + 1)
        }
        #expect(found == expected, "\(pattern) in \(text)")
    }

    /// Whether exactly a range matches, with what stands around it.
    private static func matches(
        _ pattern: String, _ bytes: [UInt8], _ range: Range<Int>
    ) throws -> Bool {
        let exact = try LinearRegex(
            "^.{\(range.lowerBound)}(\(pattern)).{\(bytes.count - range.upperBound)}$")
        // The places of `^`, `$` and boundaries are those of the whole text.
        return bytes.withUnsafeBytes { exact.matches($0) }
    }

    @Test func `stops where it would look at the same again and again`() throws {
        let text = Array(repeating: UInt8(ascii: "a"), count: 100_000)
        #expect(throws: RegexSearch.TooLong.self) {
            try RegexSearch(LinearRegex("a|a.*b")).ranges(in: text)
        }
        #expect(try RegexSearch(LinearRegex("a")).ranges(in: text).count == text.count)
        #expect(try RegexSearch(LinearRegex("(a+)+")).ranges(in: text) == [0..<text.count])
    }
}
