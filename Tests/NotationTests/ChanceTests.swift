import Notation
import Testing

@Suite struct ChanceTests {
    @Test func `gives the numbers of the reference implementation`() {
        var numbers = SplitMix64(seed: 1_234_567)
        #expect(
            (0..<5).map { _ in numbers.next() } == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
                4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
            ])
        #expect(SplitMix64.hash(1_234_567) == 6_457_827_717_110_365_317)
    }

    @Test func `a fraction is at least 0 and less than 1`() {
        var numbers = SplitMix64(seed: 5)
        let fractions = (0..<1_000).map { _ in numbers.nextFraction() }
        #expect(fractions.allSatisfy { (0..<1).contains($0) })
        #expect(abs(fractions.reduce(0, +) / 1_000 - 0.5) < 0.05)
    }

    /// The vectors of RFC 9923, 64 bits.
    @Test(
        arguments: [
            ("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C),
            ("foobar", 0x8594_4171_F739_67E8),
        ] as [(String, UInt64)])
    func `gives known checksums`(text: String, sum: UInt64) {
        #expect(FNV1a.hash(text.utf8) == sum)
        var parts = FNV1a()
        for byte in text.utf8 { parts.add([byte]) }
        #expect(parts.value == sum)
        #expect(FNV1a.hash(text.utf8, offset: FNV1a.otherOffset) != sum)
    }
}

@Suite struct MarkupTests {
    @Test func `escapes what markup means`() {
        #expect(
            Markup.escaped("<a&\"b\">\u{0}\n\t😀\u{FFFE}")
                == "&lt;a&amp;&quot;b&quot;&gt;\u{FFFD}\n\t😀\u{FFFD}")
        #expect(Markup.escaped("a\r\n\tb", keepsSpaces: false) == "a&#13;&#10;&#9;b")
        #expect(Markup.escaped("a\rb") == "a&#13;b")
    }
}
