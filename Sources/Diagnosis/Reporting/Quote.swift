/// Bytes of a peer as printable text.
public enum Quote {
    /// The maximum number of characters of a quote.
    public static let most = 300

    /// The bytes, cut to the context of `range`; control characters are escaped.
    ///
    /// - Parameters:
    ///   - bytes: What a peer sent.
    ///   - range: The quoted range (default: the beginning).
    /// - Returns: At most about ``most`` characters; what is left out is shown by `…`.
    public static func of(_ bytes: [UInt8], around range: Range<Int>? = nil) -> String {
        var from = 0
        if let range, bytes.count > most, range.upperBound > most {
            from = max(0, min(range.lowerBound, bytes.count) - most / 3)
        }
        let to = min(bytes.count, from + most)
        // Not within a character.
        var start = from
        while start > 0, start < to, bytes[start] & 0xC0 == 0x80 { start += 1 }
        var end = to
        while end < bytes.count, end > start, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        let text = escaped(String(decoding: bytes[start..<end], as: UTF8.self))
        return (start > 0 ? "…" : "") + text + (end < bytes.count ? "…" : "")
    }

    /// The range of the JSON value that begins at an offset, up to its end or that of the text.
    public static func value(in text: [UInt8], at offset: Int) -> Range<Int> {
        let start = max(0, min(offset, text.count))
        var depth = 0
        var isString = false
        var index = start
        while index < text.count {
            let byte = text[index]
            if isString {
                if byte == 0x5C {
                    index += 1
                } else if byte == 0x22 {
                    isString = false
                    if depth == 0 { return start..<index + 1 }
                }
            } else {
                switch byte {
                case 0x22: isString = true
                case 0x5B, 0x7B: depth += 1
                case 0x5D, 0x7D:
                    if depth == 0 { return start..<index }
                    depth -= 1
                    if depth == 0 { return start..<index + 1 }
                case 0x2C where depth == 0: return start..<index
                default: break
                }
            }
            index += 1
        }
        return start..<text.count
    }

    /// The maximum number of bytes of a quote within a sentence.
    static let mostInSentence = 120

    /// Bytes within a sentence; what is left out is shown by `…`.
    static func short(_ bytes: ArraySlice<UInt8>) -> String {
        guard bytes.count > mostInSentence else { return of(Array(bytes)) }
        var kept = bytes.prefix(mostInSentence)
        while let next = bytes[kept.endIndex...].first, next & 0xC0 == 0x80, !kept.isEmpty {
            kept.removeLast()
        }
        return of(Array(kept)) + "…"
    }

    /// The text with control characters escaped.
    public static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
            return text
        }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x0A: result += "\\n"
            case 0x0D: result += "\\r"
            case 0x09: result += "\\t"
            case ..<0x20, 0x7F: result += "\\u{" + String(scalar.value, radix: 16) + "}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
