import Simperium
import Testing

struct StringDeltaDiffTests {
    @Test(arguments: [
        ("b", "c", "-1\t+c"), ("abc", "abd", "=2\t-1\t+d"), ("", "abc", "+abc"), ("abc", "", "-3"),
        ("", "", ""), ("abc", "abc", "=3"),
        ("Hello world", "Hello World!", "=6\t-1\t+W\t=4\t+!"), ("👿", "👿#", "=2\t+#"),
        ("#", "#👿", "=1\t+%F0%9F%91%BF"), ("👿👿", "👿#👿", "=2\t+#\t=2"),
        ("👿s👿s👿s👿s👿s", "#👿s👿s👿s👿s👿s", "+#\t=15"), ("👿", "", "-2"), ("👿#", "👿", "=2\t-1"),
        ("☺️🖖🏿", "☺️😃🖖🏿", "=2\t+%F0%9F%98%83\t=4"), ("🙋🙋", "🙋🙌🙋", "=2\t+%F0%9F%99%8C\t=2"),
        ("@😀#", "@😁#", "=1\t-2\t+%F0%9F%98%81\t=1"), ("ACD😀E", "ACD😀EF", "=6\t+F"),
        ("This 💩 stinks", "This stinks less", "=5\t-3\t=6\t+ less"),
        (
            "", "x y\t%+é😀!~*'();/?:@&=+$,#[]\"<>\\^`{|}\n",
            "+x y%09%25+%C3%A9%F0%9F%98%80!~*'();/?:@&=+$,#%5B%5D%22%3C%3E%5C%5E%60%7B%7C%7D%0A"
        ),
        ("é", "e\u{301}", "-1\t+e%CC%81"), ("😀😁", "😁", "-2\t=2"), ("q", "qx", "=1\t+x"),
    ])
    func `makes`(old: String, new: String, expected: String) throws {
        let delta = StringDelta.diff(from: old, to: new)
        #expect(delta.text == expected)
        #expect(try delta.apply(to: old).utf8.elementsEqual(new.utf8))
    }

    @Test func `escapes everything but the plain letters, in upper case`() throws {
        let plain = Set("-_.!~*'();/?:@&=+$,# ".unicodeScalars)
        for code in 0..<0x80 as Range<UInt8> {
            let scalar = UnicodeScalar(code)
            let isPlain =
                plain.contains(scalar) || scalar.properties.isAlphabetic
                || scalar.properties.numericType != nil
            let digits = String(code, radix: 16, uppercase: true)
            let escaped = isPlain ? String(scalar) : "%" + (code < 16 ? "0" : "") + digits
            let delta = StringDelta(steps: [.insert(String(scalar))])
            #expect(delta.text == "+" + escaped)
            #expect(try StringDelta(parsing: delta.text) == delta)
        }
    }

    @Test func `unites neighbours and leaves out what is empty`() throws {
        let delta = StringDelta(steps: [
            .keep(0), .keep(1), .keep(2), .insert(""), .insert("a"), .insert("b"), .drop(0),
            .drop(1),
            .keep(-4), .drop(1),
        ])
        #expect(delta.text == "=3\t+ab\t-2")
        #expect(delta.length == 5)
        #expect(!delta.hasEmptySteps)
        #expect(try StringDelta(parsing: "=1\t=2\t+\t-0\t+a\t+b").text == "=3\t+ab")
        #expect(StringDelta(steps: [.keep(.max), .drop(.max)]).length == .max)
    }

    @Test func `inserted text is compared by code points`() {
        #expect(StringDelta(steps: [.insert("é")]) != StringDelta(steps: [.insert("e\u{301}")]))
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `applied to the old text, gives the new one`(seed: UInt64) throws {
        var documents = RandomDocuments(seed: seed)
        for _ in 0..<150 {
            let old = documents.text(most: 40)
            let new = documents.number(in: 0...3) > 0 ? documents.edited(old) : documents.text()
            let delta = StringDelta.diff(from: old, to: new)
            #expect(try delta.apply(to: old).utf8.elementsEqual(new.utf8))
            #expect(!delta.splitsPair(of: old))
            #expect(!delta.hasEmptySteps)
            #expect(delta.changesNothing == old.utf8.elementsEqual(new.utf8))
            #expect(try StringDelta(parsing: delta.text) == delta)
        }
    }

    @Test(arguments: [1, 2, 3, 8] as [UInt64])
    func `few changes of a long text are found as they are`(seed: UInt64) throws {
        var documents = RandomDocuments(seed: seed)
        let base = Array(documents.text(most: 8_000).unicodeScalars)
        var scalars = base
        for edit in (0..<10).reversed() {
            let place = base.count * (edit * 2 + 1) / 20
            scalars.replaceSubrange(place..<place + 3, with: "<edit>".unicodeScalars)
        }
        let old = String(String.UnicodeScalarView(base))
        let new = String(String.UnicodeScalarView(scalars))
        let delta = StringDelta.diff(from: old, to: new)
        #expect(try delta.apply(to: old).utf8.elementsEqual(new.utf8))
        #expect(delta.steps.filter { if case .insert = $0 { true } else { false } }.count == 10)
    }

    @Test func `long runs are found where an exact search would take too long`() throws {
        var documents = RandomDocuments(seed: 5)
        func block(_ count: Int) -> String {
            (0..<count).map { _ in "line \(documents.number(in: 0...9_999_999)) 😀\n" }.joined()
        }
        // Two stretches of each have nothing to do with the other.
        let shared = (block(500), block(500), block(500))
        let old = block(2_000) + shared.0 + block(2_000) + shared.1 + shared.2
        let new = block(1_000) + shared.0 + block(3_000) + shared.1 + block(1) + shared.2
        let delta = StringDelta.diff(from: old, to: new)
        #expect(try delta.apply(to: old).utf8.elementsEqual(new.utf8))
        var kept = 0
        for case .keep(let count) in delta.steps { kept += count }
        let expected = shared.0.utf16.count + shared.1.utf16.count + shared.2.utf16.count
        #expect(kept >= expected)
    }

    @Test func `texts of one letter and of nothing in common are compared`() throws {
        let letter = String(repeating: "a", count: 100_000)
        let pairs = String(repeating: "😀😁", count: 20_000)
        for (old, new) in [
            (letter, letter + "a"), (letter, String(letter.dropLast(999)) + "b"),
            (letter, String(repeating: "b", count: 90_000)), (pairs, pairs + pairs),
            (pairs, letter),
            (pairs, "😁" + String(pairs.dropFirst(100)) + "😀"),
        ] {
            let delta = StringDelta.diff(from: old, to: new)
            #expect(try delta.apply(to: old) == new)
            #expect(!delta.splitsPair(of: old))
        }
    }
}
