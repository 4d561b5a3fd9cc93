internal import Notation
internal import Wire

/// A node of a scanned line.
typealias JSONNode = JSONDocument.Node

/// Distinguishes text from other bytes.
enum TextScan {
    /// Where text stops: at what is not UTF-8, or at a control character other than tabs and line
    /// ends.
    static func end(of bytes: ArraySlice<UInt8>) -> Int {
        bytes.withUnsafeBufferPointer { buffer in
            let span = buffer.span
            var place = 0
            while place < span.count {
                let byte = span[place]
                if byte < 0x80 {
                    guard
                        byte >= 0x20 && byte != 0x7F || byte == 0x09 || byte == 0x0A || byte == 0x0D
                    else { break }
                    place += 1
                } else {
                    let length = sequence(span, at: place)
                    guard length > 0 else { break }
                    place += length
                }
            }
            return bytes.startIndex + place
        }
    }

    /// Whether all of `bytes` is UTF-8, control characters or not.
    static func isUnicode(_ bytes: [UInt8]) -> Bool {
        let span = bytes.span
        var place = 0
        while place < span.count {
            let length = span[place] < 0x80 ? 1 : sequence(span, at: place)
            guard length > 0 else { return false }
            place += length
        }
        return true
    }

    /// Length of the sequence of more than one byte at `place`; 0 where it is none.
    ///
    /// The Unicode Standard, table 3-7: overlong forms, surrogates and what is above U+10FFFF are
    /// not text.
    private static func sequence(_ span: borrowing Span<UInt8>, at place: Int) -> Int {
        let lead = span[place]
        let length: Int
        switch lead {
        case 0xC2...0xDF: length = 2
        case 0xE0...0xEF: length = 3
        case 0xF0...0xF4: length = 4
        default: return 0
        }
        guard span.count - place >= length else { return 0 }
        let low: UInt8 = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80
        let high: UInt8 = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF
        guard span[place + 1] >= low, span[place + 1] <= high else { return 0 }
        for index in 2..<4 where index < length {
            guard span[place + index] & 0xC0 == 0x80 else { return 0 }
        }
        return length
    }
}
