/// Words that follow each other in a text: the search of a bare word or `text:`.
///
/// Judges a text exactly as the full-text index does, for texts that the index has not reached yet
/// and for live events.
public struct WordQuery: Hashable, Sendable {
    /// The words, folded, at least one.
    let words: [[UInt8]]
    /// Whether the last word is a prefix.
    let isPrefix: Bool

    /// The query for the words of `text` one after the other.
    ///
    /// Everything but letters and digits separates words; case and diacritics are ignored. Nil
    /// where there is no word in `text`.
    ///
    /// - Parameters:
    ///   - text: The words.
    ///   - isPrefix: Whether the last word is a prefix.
    public init?(_ text: String, isPrefix: Bool = false) {
        var words: [[UInt8]] = []
        var bytes = Array(text.utf8)
        bytes.withUnsafeMutableBytes {
            var scanner = WordScanner(UnsafeRawBufferPointer($0))
            while scanner.next() { words.append(scanner.word) }
        }
        guard !words.isEmpty else { return nil }
        self.words = words
        self.isPrefix = isPrefix
    }

    /// The query of the ``matchExpression`` of another one; nil where it has no words.
    public init?(matchExpression expression: String) {
        let star = expression.utf8.last == UInt8(ascii: "*")
        self.init(expression, isPrefix: star)
    }

    /// The query as the right side of FTS5's `MATCH`, and as first argument of `tape_words`.
    public var matchExpression: String {
        let phrase = words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
        return "\"\(phrase)\"" + (isPrefix ? " *" : "")
    }

    /// The words as they are in ``folded(_:)`` of a text that has them.
    var folded: String {
        let phrase = words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
        return " " + phrase + (isPrefix ? "" : " ")
    }

    /// The words of `text`, which is UTF-8, folded: a blank, and each word with one after it.
    ///
    /// Empty where there are none. In a store without a full-text index, words that follow each other
    /// are found in it as a piece of text.
    public static func folded(_ text: UnsafeRawBufferPointer) -> [UInt8] {
        if WordScanner.isPlain(text) { return foldedPlain(text) }
        var scanner = WordScanner(text)
        var result: [UInt8] = []
        result.reserveCapacity(text.count / 2)
        while scanner.next() {
            if result.isEmpty { result.append(0x20) }
            result.append(contentsOf: scanner.word)
            result.append(0x20)
        }
        return result
    }

    /// The same of a text of ASCII, as most are: a byte each, without a decision between them.
    private static func foldedPlain(_ text: UnsafeRawBufferPointer) -> [UInt8] {
        Array(unsafeUninitializedCapacity: text.count + 2) { result, count in
            WordScanner.plain.withUnsafeBufferPointer { plain in
                result[0] = 0x20
                var place = 1
                for byte in text {
                    let folded = plain[Int(byte)]
                    result[place] = folded
                    // Of several blanks the first.
                    place += folded == 0x20 && result[place - 1] == 0x20 ? 0 : 1
                }
                if result[place - 1] != 0x20 {
                    result[place] = 0x20
                    place += 1
                }
                count = place > 1 ? place : 0
            }
        }
    }

    /// Whether the words follow each other in `text`, which is UTF-8.
    ///
    /// Bytes that are not are taken for separators.
    public func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        var scanner = WordScanner(text)
        // How many words of the query the text ends with at this place, for every start that
        // can still become a match.
        var begun: [Int] = []
        while scanner.next() {
            var next: [Int] = []
            for count in begun + [0] where fits(scanner.word, at: count) {
                if count + 1 == words.count { return true }
                next.append(count + 1)
            }
            begun = next
        }
        return false
    }

    /// Whether `word` matches the query's word number `index`.
    private func fits(_ word: [UInt8], at index: Int) -> Bool {
        if isPrefix && index == words.count - 1 { return word.starts(with: words[index]) }
        return word == words[index]
    }
}
