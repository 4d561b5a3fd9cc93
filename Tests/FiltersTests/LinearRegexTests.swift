import Testing

@testable import Filters

struct LinearRegexTests {
    @Test(
        arguments: [
            ("", "", true), ("", "abc", true),
            ("abc", "xabcx", true), ("abc", "ab", false), ("abc", "aabbcc", false),
            ("a|b", "xb", true), ("a|", "x", true), ("(a|b)c", "bc", true), ("(a|b)c", "bd", false),
            ("^abc$", "abc", true), ("^abc$", "abcd", false), ("^abc$", "xabc", false),
            ("^$", "", true), ("^$", "a", false), ("a^b", "ab", false), ("a$b", "ab", false),
            ("(^|,)x(,|$)", "a,x,b", true), ("(^|,)x(,|$)", "a,xx,b", false),
            ("a*", "", true), ("^a*$", "aaa", true), ("^a*$", "aab", false),
            ("^a+$", "", false), ("^ab?c$", "ac", true), ("^ab?c$", "abbc", false),
            ("^a{3}$", "aaa", true), ("^a{3}$", "aa", false), ("^a{2,3}$", "aaaa", false),
            ("^a{2,}$", "aaaa", true), ("^a{2,}$", "a", false), ("^a{0}$", "", true),
            ("^(ab){2}$", "abab", true), ("^(ab){2}$", "abb", false),
            ("a{,2}", "a{,2}", true), ("{\"a\"", "{\"a\":1}", true), ("x{", "x{", true),
            ("^a*?b+?$", "aabb", true),
            (".", "\n", false), ("^.$", "é", true), ("^..$", "é", false), ("^.$", "🎉", true),
            ("[abc]", "xcx", true), ("[^abc]", "abc", false), ("[^abc]", "abcd", true),
            ("^[^a]$", "é", true), ("^[a-c]+$", "abcabc", true), ("^[a-c]+$", "abd", false),
            ("^[]-]", "x", nil), ("^[\\]-]$", "-", true), ("^[a-]$", "-", true),
            ("^[-a]$", "-", true),
            ("^[à-ü]+$", "éü", true), ("^[à-ü]+$", "e", false), ("^[\\d_]+$", "1_2", true),
            ("^\\d+$", "123", true), ("\\D", "123", false), ("^\\w+$", "a_1", true),
            ("\\W", "a b", true),
            ("^\\s$", "\t", true), ("^\\S+$", "a b", false), ("^\\s$", "\u{A0}", false),
            ("\\bfoo\\b", "a foo b", true), ("\\bfoo\\b", "afoo b", false),
            ("\\bfoo\\b", "foo", true),
            ("foo\\B", "foox", true), ("foo\\B", "foo", false), ("\\B", "", true),
            ("\\b", "", false),
            ("\\.", "a", false), ("\\.", ".", true), ("\\/", "/", true),
            ("\\x41\\u0042\\x{43}", "ABC", true),
            ("\\n\\t", "\n\t", true), ("\\Aab\\z", "ab", true), ("\\Aab\\z", "abc", false),
            ("(?i)aBc", "AbC", true), ("(?i)[a-c]+x", "ABCX", true), ("(?i)[^a]", "A", false),
            ("(?i)straße", "STRAßE", true), ("(?i)é", "É", true), ("(?i)[à-ü]", "É", true),
            ("(?i)k", "\u{212A}", false), ("aBc", "abc", false),
            ("(?:a(b))+c", "ababc", true), ("()*a", "a", true), ("(a*)*b", "aaab", true),
            ("(a|b)*abb", "abababb", true), ("x*y*z*$", "q", true),
        ] as [(String, String, Bool?)])
    func `finds`(pattern: String, text: String, expected: Bool?) throws {
        guard let expected else {
            #expect(throws: RegexError.self) { try LinearRegex(pattern) }
            return
        }
        let regex = try LinearRegex(pattern)
        #expect(regex.matches(text) == expected)
        // What is remembered changes nothing.
        var matcher = RegexMatcher(regex)
        for _ in 0..<3 {
            let found = Array(text.utf8).withUnsafeBytes { matcher.matches($0) }
            #expect(found == expected)
        }
    }

    @Test(
        arguments: [
            ("(a", .unclosedGroup, 0..<1), ("a(b(c)", .unclosedGroup, 1..<2),
            ("a)b", .unopenedGroup, 1..<2),
            ("[a", .unclosedClass, 0..<1), ("a[]b", .emptyClass, 1..<3),
            ("[^]", .emptyClass, 0..<3),
            ("[z-a]", .badRange, 1..<4), ("[\\d-z]", .badRange, 1..<5),
            ("[a-\\w]", .badRange, 1..<5),
            ("*a", .nothingToRepeat, 0..<1), ("a|*", .nothingToRepeat, 2..<3),
            ("a**", .nothingToRepeat, 2..<3),
            ("a+{2}", .nothingToRepeat, 2..<5), ("^*", .nothingToRepeat, 1..<2),
            ("\\b+", .nothingToRepeat, 2..<3),
            ("a{1001}", .badRepetition, 1..<7), ("a{3,2}", .badRepetition, 1..<6),
            ("a{99999999999999999999}", .badRepetition, 1..<23),
            ("a\\", .badEscape, 1..<2), ("\\q", .badEscape, 0..<2), ("\\xZZ", .badEscape, 0..<2),
            ("\\u{110000}", .badEscape, 0..<10), ("[\\b]", .badEscape, 1..<3),
            ("\\é", .badEscape, 0..<2),
            ("(?=a)", .unsupported, 0..<2), ("(?<!a)b", .unsupported, 0..<2),
            ("(a)\\1", .unsupported, 3..<5),
            ("(?P<n>a)", .unsupported, 0..<2), ("[[:alpha:]]", .unsupported, 1..<3),
            ("((a{1000}){1000}){1000}", .tooLarge, 0..<1), ("((){1000}){1000}", .tooLarge, 0..<1),
            (".{1000}", .tooLarge, 0..<1),
        ] as [(String, RegexError.Reason, Range<Int>)])
    func `refuses`(pattern: String, reason: RegexError.Reason, range: Range<Int>) {
        #expect(throws: RegexError(reason, range)) { try LinearRegex(pattern) }
    }

    @Test func `bounds its depth`() throws {
        let deep = String(repeating: "(", count: 101) + String(repeating: ")", count: 101)
        #expect(throws: RegexError(.tooDeep, 100..<101)) { try LinearRegex(deep) }
        #expect(throws: RegexError.self) { try LinearRegex(String(repeating: "(", count: 100_000)) }
    }

    @Test(arguments: [
        ("(a+)+$", "a", "!"), ("(a*)*b", "a", ""), ("(a|aa)+$", "a", "!"),
        ("(.*)(.*)(.*)x$", "a", "!"),
        ("(x+x+)+y", "x", ""), ("a.{12}b", "a", ""), ("(a|b)*a(a|b){10}c", "ab", ""),
        ("^(([a-z])+.)+[A-Z]", "a", ""),
    ])
    func `does not run away`(pattern: String, part: String, end: String) throws {
        let text = String(repeating: part, count: 100_000 / part.utf8.count) + end
        #expect(try !LinearRegex(pattern).matches(text))
    }

    @Test func `goes on after its memory was emptied`() throws {
        // More sets of states than are remembered: the last 13 letters decide.
        let regex = try LinearRegex("a[ab]{13}c")
        var random = Seeded(7)
        var text = (0..<20_000).map { _ in Bool.random(using: &random) ? "a" : "b" }.joined()
        #expect(!regex.matches(text))
        text += "abbbbbbbbbbbbbc"
        #expect(regex.matches(text))
    }

    @Test func `takes bytes that are not text`() throws {
        let bytes: [UInt8] = [0xFF, 0x61, 0x80, 0x62, 0xC3]
        func found(_ pattern: String) throws -> Bool {
            let regex = try LinearRegex(pattern)
            return bytes.withUnsafeBytes { regex.matches($0) }
        }
        #expect(try found("a"))
        #expect(try !found("a.b"))
        #expect(try found("b"))
        #expect(try found("[^x]"))
        #expect(try !found("é"))
    }

    @Test func `compares by pattern`() throws {
        #expect(try LinearRegex("a", caseInsensitive: true) == LinearRegex("(?i)a"))
        #expect(try LinearRegex("a") != LinearRegex("(?i)a"))
        #expect(try LinearRegex("(?i)a", caseInsensitive: true).pattern == "(?i)a")
    }

    /// A random pattern of what both engines read alike, nested at most `depth` deep.
    private func pattern(_ random: inout Seeded, depth: Int) -> String {
        let count = Int.random(in: 1...3, using: &random)
        return (0..<count).map { _ in
            var atom: String
            switch Int.random(in: 0...(depth > 0 ? 9 : 6), using: &random) {
            case 0...2: atom = ["a", "b", "c"].randomElement(using: &random) ?? "a"
            case 3: atom = "."
            case 4:
                atom =
                    ["[ab]", "[^a]", "[b-d]", "\\d", "\\w", "\\s"].randomElement(using: &random)
                    ?? "."
            case 5: return ["^", "$"].randomElement(using: &random) ?? "^"
            case 6: atom = "1"
            default:
                let inner = pattern(&random, depth: depth - 1)
                let other = pattern(&random, depth: depth - 1)
                atom = Bool.random(using: &random) ? "(?:\(inner))" : "(?:\(inner)|\(other))"
            }
            let repetition = ["", "", "", "*", "+", "?", "{2}", "{1,2}", "{0,2}"]
            return atom + (repetition.randomElement(using: &random) ?? "")
        }.joined()
    }

    @Test(arguments: 0..<300) func `agrees with the standard library`(seed: UInt64) throws {
        var random = Seeded(seed)
        for _ in 0..<4 {
            let pattern = pattern(&random, depth: 2)
            let ours = try LinearRegex(pattern)
            let theirs = try Regex(pattern)
            for _ in 0..<8 {
                let text = (0..<Int.random(in: 0...8, using: &random))
                    .map { _ in ["a", "b", "c", "d", "1", " "].randomElement(using: &random) ?? "" }
                    .joined()
                let expected = try theirs.firstMatch(in: text) != nil
                #expect(ours.matches(text) == expected, "\(pattern) in '\(text)'")
            }
        }
    }
}
