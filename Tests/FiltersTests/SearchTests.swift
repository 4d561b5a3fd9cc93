import Testing

@testable import Filters

struct ByteSearchTests {
    /// The same by looking everywhere.
    private func find(_ haystack: [UInt8], _ needle: [UInt8]) -> Bool {
        guard haystack.count >= needle.count else { return false }
        let folded = haystack.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
        return (0...haystack.count - needle.count).contains {
            folded[$0..<$0 + needle.count].elementsEqual(needle)
        }
    }

    @Test(arguments: 0..<500) func `finds what is there`(seed: UInt64) {
        var random = Seeded(seed)
        // Few letters and their neighbours by bit 5, so that near misses are common.
        let letters: [UInt8] = [0x61, 0x41, 0x62, 0x40, 0x60, 0x5B, 0x7B, 0x01, 0x21, 0xE1, 0xC1]
        for _ in 0..<20 {
            let haystack = (0..<Int.random(in: 0...40, using: &random))
                .map { _ in letters.randomElement(using: &random) ?? 0 }
            let needle = (0..<Int.random(in: 0...4, using: &random))
                .map { _ in letters.randomElement(using: &random) ?? 0 }
                .map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
            let found = haystack.withUnsafeBytes {
                ByteSearch.contains($0, lowercasedNeedle: needle)
            }
            #expect(found == find(haystack, needle), "\(needle) in \(haystack)")
        }
    }

    @Test func `folds ASCII alone`() {
        #expect(ByteSearch.lowercased("ÄBCé[") == Array("Äbcé[".utf8))
    }
}

struct HeadFieldsTests {
    private let head = """
        POST /x?Host:a HTTP/1.1\r
        Host: www.example\r
        X-Id:1\r
        x-id :\t2 \r
        X-Folded: a\r
          b\r
        \tc\r
        Empty:\r
        No colon\r
          lost\r
        \r
        Not-A-Field: 1\r

        """

    @Test(
        arguments: [
            ("host", "www.example"), ("x-id", "1, 2"), ("x-folded", "a b c"), ("empty", ""),
            ("no colon", nil), ("not-a-field", nil), ("post /x?host", nil), ("", nil),
        ] as [(String, String?)])
    func `finds the value`(name: String, expected: String?) {
        #expect(Array(head.utf8).withUnsafeBytes { HeadFields.value(of: name, in: $0) } == expected)
        let bare = Array(head.replacing("\r\n", with: "\n").utf8)
        #expect(bare.withUnsafeBytes { HeadFields.value(of: name, in: $0) } == expected)
    }

    @Test(arguments: ["", "x", "x\r\n", "x\r\n\r\n", "x\nhost", "x\n host: a", "\n\n\n"])
    func `finds nothing in a broken head`(head: String) {
        #expect(Array(head.utf8).withUnsafeBytes { HeadFields.value(of: "host", in: $0) } == nil)
    }

    @Test func `repairs what is not text`() {
        let head = Array("x\r\nA: ".utf8) + [0xE9, 0x0D, 0x0A]
        #expect(head.withUnsafeBytes { HeadFields.value(of: "a", in: $0) } == "\u{FFFD}")
    }
}

struct WordQueryTests {
    @Test(
        arguments: [
            ("foo", false, "a FOO b", true), ("foo", false, "foot", false),
            ("foo", true, "foot", true),
            ("foo bar", false, "foo, bar", true), ("foo bar", false, "foo x bar", false),
            ("foo bar", false, "foo foo bar", true), ("a b a c", false, "a b a b a c", true),
            ("foo ba", true, "foo bar", true), ("fo bar", true, "foo bar", false),
            ("café", false, "CAFE", true), ("cafe", false, "Cafe\u{301}", true),
            ("ß", false, "ẞ", true), ("straße", false, "strasse", false),
            ("日本", false, "日本 語", true), ("a", false, "a_b", true), ("b", false, "<a>b</a>", true),
            ("x1", false, "x1", true), ("x", false, "x1", false), ("ДА", false, "да", true),
            ("σ", false, "Σ", true), ("🎉 a", false, "a", true),
        ] as [(String, Bool, String, Bool)])
    func `finds words`(words: String, isPrefix: Bool, text: String, expected: Bool) throws {
        let query = try #require(WordQuery(words, isPrefix: isPrefix))
        #expect(Array(text.utf8).withUnsafeBytes(query.matches) == expected)
        #expect(WordQuery(matchExpression: query.matchExpression) == query)
    }

    @Test func `takes what is not UTF-8 for separators`() throws {
        let query = try #require(WordQuery("b"))
        #expect(([0x61, 0xC3, 0x62, 0xFF, 0xE4, 0xB8] as [UInt8]).withUnsafeBytes(query.matches))
    }

    @Test(arguments: ["", "--", "🎉", "\u{301}"]) func `needs a word`(text: String) {
        #expect(WordQuery(text) == nil)
    }
}

struct FilterFunctionsTests {
    private func bytes<T>(_ text: String, _ use: (UnsafeRawBufferPointer) -> T) -> T {
        Array(text.utf8).withUnsafeBytes(use)
    }

    @Test func `gives what conditions ask for`() throws {
        let functions = FilterFunctions()
        #expect(bytes("aBc") { value in bytes("bc") { functions.contains(value, $0) } })
        for index in 0..<100 {
            let pattern = Array("^a{\(index % 40)}$".utf8)
            let value = Array(String(repeating: "a", count: index % 40).utf8)
            let found = try pattern.withUnsafeBytes { pattern in
                try value.withUnsafeBytes { try functions.regex(pattern, $0) }
            }
            #expect(found)
        }
        #expect(throws: RegexError.self) {
            try Array("(".utf8).withUnsafeBytes { try functions.regex($0, $0) }
        }
        #expect(
            bytes("*B*") { pattern in
                bytes("abc") { functions.glob(pattern, $0, isCaseSensitive: false) }
            })
        #expect(
            !bytes("*B*") { pattern in
                bytes("abc") { functions.glob(pattern, $0, isCaseSensitive: true) }
            })
        #expect(bytes("\"b c\" *") { query in bytes("a B, cd") { functions.words(query, $0) } })
        #expect(bytes("x\r\nA: 1\r\n") { head in bytes("a") { functions.header(head, $0) } } == "1")
    }
}
