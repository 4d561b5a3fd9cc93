import Filters

/// The columns that text takes on a terminal.
enum TextWidth {
    /// Columns of a text without control characters.
    ///
    /// A character takes as many as the widest of its scalars.
    static func of(_ text: some StringProtocol) -> Int {
        if let plain = text.utf8.withContiguousStorageIfAvailable(plain) ?? nil { return plain }
        var columns = 0
        for character in text { columns += of(character) }
        return columns
    }

    /// Columns of a text of ASCII and `µ`; nil for any other.
    ///
    /// Every duration below a millisecond has that, and whether characters join takes far longer to
    /// find out.
    private static func plain(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
        var columns = 0
        var place = 0
        while place < text.count {
            if text[place] >= 0x80 {
                guard text[place] == 0xC2, place + 1 < text.count, text[place + 1] == 0xB5
                else { return nil }
                place += 1
            }
            columns += 1
            place += 1
        }
        return columns
    }

    /// `text` with blanks behind it, so that it takes at least `width` columns.
    static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - of(text)))
    }

    /// `text` with blanks before it, so that it takes at least `width` columns.
    static func paddedLeft(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - of(text))) + text
    }

    /// The beginning of `text` in `width` columns, with `…` where something is missing.
    static func cut(_ text: String, _ width: Int) -> String {
        guard of(text) > width else { return text }
        guard width > 0 else { return "" }
        return beginning(text, width - 1) + "…"
    }

    /// `text` in `width` columns with `…` in the middle, where a URL has the least to say.
    static func shortened(_ text: String, _ width: Int) -> String {
        guard of(text) > width else { return text }
        guard width > 4 else { return cut(text, width) }
        let end = (width - 1) * 3 / 5
        let reversed = String(text.reversed())
        return beginning(text, width - 1 - end) + "…"
            + String(beginning(reversed, end).reversed())
    }

    private static func beginning(_ text: String, _ width: Int) -> String {
        var columns = 0
        var kept = ""
        for character in text {
            columns += of(character)
            guard columns <= width else { break }
            kept.append(character)
        }
        return kept
    }

    private static func of(_ character: Character) -> Int {
        character.isASCII ? 1 : character.unicodeScalars.map(\.terminalColumns).max() ?? 0
    }
}
