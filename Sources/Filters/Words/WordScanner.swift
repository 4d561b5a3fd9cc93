/// Cuts text into words as the full-text index does.
///
/// A word is a run of letters and digits; it is folded to lower case without diacritics. Source:
/// SQLite, "FTS5", 4.3.1 "Unicode61 Tokenizer", with its default of `remove_diacritics=1`.
struct WordScanner {
    /// The text, as UTF-8.
    private let text: UnsafeRawBufferPointer
    private var position = 0
    /// The word found last, folded, as UTF-8.
    private(set) var word: [UInt8] = []

    /// A scanner at the start of `text`, which must outlive it.
    init(_ text: UnsafeRawBufferPointer) {
        self.text = text
    }

    /// Finds the next word and leaves it in ``word``.
    ///
    /// - Returns: Whether there was one.
    mutating func next() -> Bool {
        word.removeAll(keepingCapacity: true)
        while position < text.count {
            let byte = text[position]
            if byte < 0x80 {
                position += 1
                if let folded = Self.fold(ascii: byte) {
                    word.append(folded)
                } else if !word.isEmpty {
                    return true
                }
                continue
            }
            guard let (scalar, length) = UTF8Scalar.decode(text, at: position) else {
                position += 1
                if !word.isEmpty { return true }
                continue
            }
            position += length
            if Self.contains(scalar, in: UnicodeWords.marks) { continue }
            if Self.contains(scalar, in: UnicodeWords.separators) {
                if !word.isEmpty { return true }
                continue
            }
            UTF8Scalar.append(Self.fold(scalar), to: &word)
        }
        return !word.isEmpty
    }

    /// Whether a text is of ASCII alone.
    static func isPlain(_ text: UnsafeRawBufferPointer) -> Bool {
        var place = 0
        var all: UInt64 = 0
        while place + 8 <= text.count {
            all |= text.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            place += 8
        }
        while place < text.count {
            all |= UInt64(text[place])
            place += 1
        }
        return all & 0x8080_8080_8080_8080 == 0
    }

    /// What each byte of ASCII becomes within a word, a blank where it separates.
    static let plain = (0..<128).map { fold(ascii: UInt8($0)) ?? 0x20 }

    /// What an ASCII byte becomes within a word; nil where it separates.
    private static func fold(ascii byte: UInt8) -> UInt8? {
        switch byte {
        case 0x61...0x7A, 0x30...0x39: byte
        case 0x41...0x5A: byte | 0x20
        default: nil
        }
    }

    /// Whether `scalar` is in one of the `ranges`, given as first and last, ascending.
    private static func contains(_ scalar: UInt32, in ranges: [UInt32]) -> Bool {
        var low = 0
        var high = ranges.count / 2
        while low < high {
            let middle = (low + high) / 2
            if ranges[2 * middle + 1] < scalar { low = middle + 1 } else { high = middle }
        }
        return 2 * low < ranges.count && ranges[2 * low] <= scalar
    }

    /// What a scalar above U+007F becomes within a word.
    private static func fold(_ scalar: UInt32) -> UInt32 {
        let table = UnicodeWords.folds
        var low = 0
        var high = table.count / 4
        // The last entry that begins at or before the scalar.
        while low < high {
            let middle = (low + high) / 2
            if table[4 * middle] <= scalar { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return scalar }
        let entry = 4 * (low - 1)
        let (first, target, count, stride) = (
            table[entry], table[entry + 1], table[entry + 2], table[entry + 3]
        )
        let distance = scalar - first
        if stride == 0 { return distance < count ? target : scalar }
        guard distance % stride == 0, distance / stride < count else { return scalar }
        return target + distance
    }
}
