import Testing

@testable import Diagnosis

@Suite struct QuoteTests {
    @Test func `control characters are escaped`() {
        #expect(Quote.of(Array("a\nb\t\u{1}".utf8)) == "a\\nb\\t\\u{1}")
    }

    @Test(arguments: [0, 1, 2, 3])
    func `a long text is cut between characters`(_ shift: Int) {
        let text = String(repeating: "x", count: shift) + String(repeating: "é😀", count: 200)
        let quote = Quote.of(Array(text.utf8), around: 700..<704)
        #expect(quote.hasPrefix("…") && quote.hasSuffix("…"))
        #expect(!quote.contains("\u{FFFD}"))
    }
}
