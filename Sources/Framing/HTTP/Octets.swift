/// Searches and comparisons of bytes, eight at a time where it pays.
///
/// Loads go through `RawSpan`, which checks bounds in every build.
extension Span<UInt8> {
    private func word(at index: Int) -> UInt64 {
        UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
    }

    /// Index of the first `value` in `range`; the end of the range if there is none.
    func firstIndex(of value: UInt8, in range: Range<Int>) -> Int {
        let pattern = 0x0101_0101_0101_0101 &* UInt64(value)
        var index = range.lowerBound
        while range.upperBound - index >= 8 {
            let difference = word(at: index) ^ pattern
            let hits = (difference &- 0x0101_0101_0101_0101) & ~difference & 0x8080_8080_8080_8080
            if hits != 0 { return index + hits.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < range.upperBound, self[index] != value { index += 1 }
        return index
    }

    /// Index of the first control byte (0...1F, 7F) in `range`; its end if there is none.
    func firstControl(in range: Range<Int>) -> Int {
        var index = range.lowerBound
        while range.upperBound - index >= 8 {
            let word = word(at: index)
            let deletion = word ^ 0x7F7F_7F7F_7F7F_7F7F
            // Borrows reach only bytes above a hit, so the lowest hit is exact.
            let hits =
                ((word &- 0x2020_2020_2020_2020) & ~word
                    | (deletion &- 0x0101_0101_0101_0101) & ~deletion)
                & 0x8080_8080_8080_8080
            if hits != 0 { return index + hits.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < range.upperBound, self[index] >= 0x20, self[index] != 0x7F { index += 1 }
        return index
    }

    /// Index of the first byte in `range` that is not in 21...7E; its end if there is none.
    func firstNonGraphic(in range: Range<Int>) -> Int {
        var index = range.lowerBound
        while index < range.upperBound, self[index] > 0x20, self[index] < 0x7F { index += 1 }
        return index
    }

    /// Index of the first byte in `range` that is not a token character; its end if there is none.
    ///
    /// Source: RFC 9110, 5.6.2.
    func firstNonToken(in range: Range<Int>) -> Int {
        var index = range.lowerBound
        while index < range.upperBound, self[index].isToken { index += 1 }
        return index
    }

    /// Whether the bytes in `range` are those of `text`.
    func isEqual(_ range: Range<Int>, to text: String) -> Bool {
        let other = text.utf8.span
        guard range.count == other.count else { return false }
        for index in 0..<other.count where self[range.lowerBound + index] != other[index] {
            return false
        }
        return true
    }

    /// Whether the bytes in `range` are those of `text`, A...Z being the same as a...z.
    func isEqual(_ range: Range<Int>, ignoringCaseOf text: String) -> Bool {
        isEqual(range, ignoringCaseOf: text.utf8.span)
    }

    /// Whether the bytes in `range` are `other`, A...Z being the same as a...z.
    func isEqual(_ range: Range<Int>, ignoringCaseOf other: borrowing Span<UInt8>) -> Bool {
        guard range.count == other.count else { return false }
        for index in 0..<other.count {
            guard self[range.lowerBound + index].lowercased == other[index].lowercased else {
                return false
            }
        }
        return true
    }

    /// Whether these bytes begin with `other`.
    func begins(with other: borrowing Span<UInt8>) -> Bool {
        guard count >= other.count else { return false }
        var index = 0
        while other.count - index >= 8 {
            guard word(at: index) == other.word(at: index) else { return false }
            index += 8
        }
        while index < other.count {
            guard self[index] == other[index] else { return false }
            index += 1
        }
        return true
    }

    /// A number that is nearly always another one for other bytes among the first `length`.
    func checksum(of length: Int) -> Int {
        var sum: UInt64 = 0
        var index = 0
        while length - index >= 8 {
            // An odd factor with bits all over, as in multiplicative hashing.
            sum = (sum ^ word(at: index)) &* 0x9E37_79B9_7F4A_7C15
            sum ^= sum >> 32
            index += 8
        }
        while index < length {
            sum = (sum ^ UInt64(self[index])) &* 0x9E37_79B9_7F4A_7C15
            index += 1
        }
        return Int(truncatingIfNeeded: sum >> 32)
    }

    /// `range` without spaces, tabs and line breaks at its ends.
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var lower = range.lowerBound
        var upper = range.upperBound
        while lower < upper, self[lower].isSpaceOrBreak { lower += 1 }
        while upper > lower, self[upper - 1].isSpaceOrBreak { upper -= 1 }
        return lower..<upper
    }

    /// The bytes in `range`, copied as one block.
    func copied(_ range: Range<Int>) -> [UInt8] {
        extracting(range).withUnsafeBufferPointer { [UInt8]($0) }
    }
}

extension [UInt8] {
    /// Appends the bytes of `span` in `range` as one block.
    mutating func append(_ span: borrowing Span<UInt8>, _ range: Range<Int>) {
        span.extracting(range).withUnsafeBufferPointer { append(contentsOf: $0) }
    }

    /// The bytes as UTF-8, or as Latin-1 where they are none, so that no byte is lost.
    var lossyText: String {
        if let text = String(validating: self, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(map { Unicode.Scalar($0) }))
    }
}

extension UInt8 {
    /// Whether the byte is valid in a token (RFC 9110, 5.6.2).
    var isToken: Bool {
        // One bit per ASCII byte: !#$%&'*+-. and digits, then letters and ^_`|~.
        let bits: UInt64 = self < 64 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
        return self < 128 && (bits >> UInt64(self & 63)) & 1 == 1
    }

    /// Whether the byte is a space or a tab.
    var isSpace: Bool { self == 0x20 || self == 0x09 }

    /// Whether the byte is a space, a tab, CR or LF.
    var isSpaceOrBreak: Bool { isSpace || self == 0x0D || self == 0x0A }

    /// Whether the byte is 0...9.
    var isDigit: Bool { self >= 0x30 && self <= 0x39 }

    /// The byte, with A...Z as a...z.
    var lowercased: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }
}
