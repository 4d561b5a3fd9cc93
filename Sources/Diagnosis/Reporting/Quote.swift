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
