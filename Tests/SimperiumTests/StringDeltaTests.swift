import Notation
import Simperium
import Testing

struct StringDeltaTests {
    @Test(arguments: [
        ("b", "-1\t+c", "c"), ("abc", "=2\t-1\t+d", "abd"), ("", "+abc", "abc"), ("abc", "-3", ""),
        ("", "", ""), ("Hello world", "=6\t-1\t+W\t=4\t+!", "Hello World!"),
        ("👿", "=2\t+#", "👿#"), ("#", "=1\t+%F0%9F%91%BF", "#👿"),
        ("👿👿", "=2\t+#\t=2", "👿#👿"), ("👿s👿s👿s👿s👿s", "+#\t=15", "#👿s👿s👿s👿s👿s"),
        ("☺️🖖🏿", "=2\t+%F0%9F%98%83\t=4", "☺️😃🖖🏿"), ("🙋🙋", "=2\t+%F0%9F%99%8C\t=2", "🙋🙌🙋"),
        ("@😀#", "=1\t-2\t+%F0%9F%98%81\t=1", "@😁#"), ("ACD😀E", "=6\t+F", "ACD😀EF"),
        ("This 💩 stinks a lot", "=5\t-3\t=6\t+ less\t=6", "This stinks less a lot"),
        (
            "",
            "+x y%09%25+%C3%A9%F0%9F%98%80!~*'();/?:@&=+$,#%5B%5D%22%3C%3E%5C%5E%60%7B%7C%7D%0A",
            "x y\t%+é😀!~*'();/?:@&=+$,#[]\"<>\\^`{|}\n"
        ),
        ("", "+%c3%a9", "é"), ("", "+raw é[]", "raw é[]"), ("e", "=1\t+%CC%81", "e\u{301}"),
        ("a+b", "=3\t+++", "a+b++"), ("😀", "-2\t+%F0%9F%98%81", "😁"),
    ])
    func `applies`(base: String, delta: String, expected: String) throws {
        let result = try StringDelta(parsing: delta).apply(to: base)
        #expect(Array(result.utf16) == Array(expected.utf16))
    }

    @Test(
        arguments: [
            ("*3", .unknownToken(0x2A, offset: 0)), ("=1\tx", .unknownToken(0x78, offset: 3)),
            ("(null)", .unknownToken(0x28, offset: 0)), ("=", .badCount(offset: 0)),
            ("=1\t-", .badCount(offset: 3)), ("=x", .badCount(offset: 0)),
            ("=-1", .badCount(offset: 0)),
            ("=+1", .badCount(offset: 0)), ("=1.5", .badCount(offset: 0)),
            ("= 1", .badCount(offset: 0)),
            ("=9999999999999999999", .badCount(offset: 0)), ("+%", .badEscape(offset: 1)),
            ("+a%2", .badEscape(offset: 2)), ("=1\t+%zz", .badEscape(offset: 4)),
            ("+%FF", .notUTF8(offset: 1)), ("+%ED%A0%BD", .notUTF8(offset: 1)),
            ("+%C3\t+%A9", .notUTF8(offset: 1)), ("+%F0%9F%98", .notUTF8(offset: 1)),
        ] as [(String, DeltaError)])
    func `refuses`(delta: String, error: DeltaError) {
        #expect(throws: error) { try StringDelta(parsing: delta) }
        #expect(!error.description.isEmpty)
    }

    @Test(
        arguments: [
            ("abc", "=2", .length(delta: 2, base: 3, fits: nil)),
            ("abc", "=4", .length(delta: 4, base: 3, fits: nil)),
            ("ACD😀E", "=5\t+F", .length(delta: 5, base: 6, fits: .codePoints)),
            ("é", "=2\t+x", .length(delta: 2, base: 1, fits: .utf8Bytes)),
            ("日本😀", "=10", .length(delta: 10, base: 4, fits: .utf8Bytes)),
            ("", "=1", .length(delta: 1, base: 0, fits: nil)),
            ("😀", "=1\t-1", .halfPair(unit: 0)), ("😀", "-1\t=1", .halfPair(unit: 0)),
            ("a😀", "=2\t+x\t=1", .halfPair(unit: 1)),
            (
                "😀", "=999999999999999999",
                .length(delta: 999_999_999_999_999_999, base: 2, fits: nil)
            ),
        ] as [(String, String, DeltaError)])
    func `does not fit`(base: String, delta: String, error: DeltaError) throws {
        let delta = try StringDelta(parsing: delta)
        #expect(throws: error) { try delta.apply(to: base) }
    }

    @Test func `says by how much and how it would fit`() throws {
        let delta = try StringDelta(parsing: "=5\t+F")
        do {
            _ = try delta.apply(to: "ACD😀E")
            Issue.record("applied")
        } catch {
            #expect(
                "\(error)" == "the delta is for 5 UTF-16 code units, the text has 6 (1 too few)"
                    + "; counted in code points it would fit")
        }
    }

    @Test func `notices what correct clients do not send`() throws {
        for text in ["=0\t+a", "-0", "+", "+a\t", "\t+a", "=1\t\t-1"] {
            #expect(try StringDelta(parsing: text).hasEmptySteps)
        }
        #expect(try !StringDelta(parsing: "=1\t-1\t+a").hasEmptySteps)
        #expect(try StringDelta(parsing: "=1\t-1").splitsPair(of: "😀"))
        #expect(try StringDelta(parsing: "=1\t=1\t+x").splitsPair(of: "😀"))
        #expect(try !StringDelta(parsing: "=2\t-1").splitsPair(of: "😀a"))
        #expect(try !StringDelta(parsing: "=9").splitsPair(of: "😀a"))
    }

    @Test func `steps that overflow together are refused`() {
        let huge = Array(repeating: "=999999999999999999", count: 10).joined(separator: "\t")
        #expect(throws: DeltaError.badCount(offset: 180)) { try StringDelta(parsing: huge) }
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `equals the edit it was made from`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let letters = Array("ab é😀👩‍👩‍👧日%+\t\n\"".unicodeScalars)
        var base = "", expected = "", tokens: [String] = []
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            let scalars = (0..<Int.random(in: 1...5, using: &random)).compactMap { _ in
                letters.randomElement(using: &random)
            }
            let text = String(String.UnicodeScalarView(scalars))
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                base += text
                expected += text
                tokens.append("=\(text.utf16.count)")
            case 1:
                base += text
                tokens.append("-\(text.utf16.count)")
            default:
                expected += text
                let escaped = text.utf8.map { byte in
                    let isPlain = byte > 0x60 && byte < 0x7B || byte == 0x20
                    let digits = String(byte, radix: 16, uppercase: true)
                    return isPlain
                        ? String(UnicodeScalar(byte))
                        : "%" + (byte < 16 ? "0" : "") + digits
                }
                tokens.append("+" + escaped.joined())
            }
        }
        let delta = try StringDelta(parsing: tokens.joined(separator: "\t"))
        #expect(try delta.apply(to: base).utf8.elementsEqual(expected.utf8))
        #expect(!delta.splitsPair(of: base))
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func `anything is a result or an error`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let letters = Array("=-+0129%F8A\t é😀".unicodeScalars)
        for _ in 0..<100 {
            let scalars = (0..<Int.random(in: 0...12, using: &random)).compactMap { _ in
                letters.randomElement(using: &random)
            }
            _ = try? StringDelta(parsing: String(String.UnicodeScalarView(scalars))).apply(
                to: "a😀é")
        }
    }
}
