import Testing

@testable import Filters

/// Texts with their words folded.
struct FoldedWordsTests {
    /// Texts of ASCII alone are folded in a way of their own.
    @Test func `folded texts have the words that the scanner finds`() {
        var random = SystemRandomNumberGenerator()
        let alphabets: [[UInt8]] = [
            Array("aZ09 ".utf8), Array(0..<128), Array("Größe é\u{301}x-Ⱥ ".utf8), Array(0...255),
            [0x2E],
        ]
        for _ in 0..<2_000 {
            let alphabet = alphabets.randomElement(using: &random) ?? []
            let text = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? 0
            }
            text.withUnsafeBytes { raw in
                var scanner = WordScanner(raw)
                var words: [[UInt8]] = []
                while scanner.next() { words.append(scanner.word) }
                let expected: [UInt8] =
                    words.isEmpty ? [] : [0x20] + words.flatMap { $0 + [0x20] }
                #expect(WordQuery.folded(raw) == expected, "\(text)")
            }
        }
        #expect(WordScanner.isPlain(UnsafeRawBufferPointer(start: nil, count: 0)))
    }
}
