/// Whether a text is a string delta, byte by byte and without a base.
///
/// Deltas are sequences of `=n`, `-n` and `+text` between tabs, text percent-escaped.
/// Source: `toDelta` and `fromDelta` of diff-match-patch.
struct DeltaCheck {
    /// Whether it cannot be read.
    private(set) var isMalformed = false
    /// Whether it has what no library writes: empty steps, bare characters, escapes in lower case.
    private(set) var isUnusual = false

    private enum State {
        case start
        case count(digits: Int)
        case text
        case escape(digits: Int, value: UInt8)
    }

    private var state = State.start
    private var isZero = true
    private var textLength = 0
    /// Continuation bytes that the text still needs, and the bounds of the next.
    private var missing = 0
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xBF

    /// Nothing yet.
    init() {}

    /// What a delta is like, from the bytes between its quotes in JSON; nil where it has other
    /// escapes than that of the tab, which are rare.
    init?(_ span: borrowing Span<UInt8>, _ content: Range<Int>) {
        var place = content.lowerBound
        while place < content.upperBound, !isMalformed {
            if isWithinText {
                while place < content.upperBound, ByteSet.delta.contains(span[place]) { place += 1 }
                guard place < content.upperBound else { break }
            }
            var byte = span[place]
            if byte == 0x5C {
                guard span[place + 1] == 0x74 else { return nil }
                byte = 0x09
                place += 1
            }
            feed(byte)
            place += 1
        }
        finish()
    }

    /// Whether a byte that needs no escape would be one more of a text, and nothing else.
    var isWithinText: Bool {
        guard case .text = state else { return false }
        return textLength > 0 && missing == 0
    }

    mutating func feed(_ byte: UInt8) {
        switch state {
        case .start:
            switch byte {
            case 0x3D, 0x2D: state = .count(digits: 0)
            case 0x2B: state = .text
            case 0x09: isUnusual = true
            default: isMalformed = true
            }
            isZero = true
            textLength = 0
        case .count(let digits):
            if byte == 0x09 { return endStep() }
            guard byte &- 0x30 < 10 else {
                isMalformed = true
                return
            }
            if digits == 1, isZero { isUnusual = true }
            if byte != 0x30 { isZero = false }
            state = .count(digits: min(digits + 1, 2))
        case .text:
            if byte == 0x09 { return endStep() }
            textLength = 1
            guard byte != 0x25 else {
                state = .escape(digits: 0, value: 0)
                return
            }
            if !ByteSet.delta.contains(byte) { isUnusual = true }
            take(byte)
        case .escape(let digits, let value):
            guard let digit = Self.digit(byte) else {
                isMalformed = true
                return
            }
            if byte >= 0x61 { isUnusual = true }
            guard digits == 1 else {
                state = .escape(digits: 1, value: digit)
                return
            }
            state = .text
            take(value << 4 | digit)
        }
    }

    mutating func finish() { endStep() }

    private mutating func endStep() {
        switch state {
        case .start: isUnusual = true
        case .count(let digits):
            if digits == 0 { isMalformed = true }
            if isZero { isUnusual = true }
        case .text:
            if textLength == 0 { isUnusual = true }
            if missing > 0 { isMalformed = true }
        case .escape: isMalformed = true
        }
        missing = 0
        state = .start
    }

    /// The next byte of the decoded text, which must be UTF-8 (The Unicode Standard, table 3-7).
    private mutating func take(_ byte: UInt8) {
        if missing > 0 {
            if byte < lowest || byte > highest { isMalformed = true }
            missing -= 1
            (lowest, highest) = (0x80, 0xBF)
            return
        }
        switch byte {
        case 0..<0x80: break
        case 0xC2...0xDF: missing = 1
        case 0xE0...0xEF:
            missing = 2
            if byte == 0xE0 { lowest = 0xA0 }
            if byte == 0xED { highest = 0x9F }
        case 0xF0...0xF4:
            missing = 3
            if byte == 0xF0 { lowest = 0x90 }
            if byte == 0xF4 { highest = 0x8F }
        default: isMalformed = true
        }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}
