/// Text of others on a terminal.
public enum TerminalText {
    /// Whether a terminal might act on a character instead of showing it: control characters, and
    /// those that change the direction of writing.
    public static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            || (0x202A...0x202E).contains(scalar.value)
            || (0x2066...0x2069).contains(scalar.value)
    }

    /// Text in which U+FFFD stands for what a terminal might act on.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - keeping: The control characters that stay.
    /// - Returns: The text; itself where it has none.
    public static func clean(_ text: String, keeping: Set<Unicode.Scalar> = []) -> String {
        // Of what is not ASCII, only some of two and three bytes are control characters.
        guard !text.utf8.allSatisfy({ 0x20 <= $0 && $0 < 0x7F }),
            text.unicodeScalars.contains(where: { isControl($0) && !keeping.contains($0) })
        else { return text }
        return String(
            String.UnicodeScalarView(
                text.unicodeScalars.map {
                    isControl($0) && !keeping.contains($0) ? "\u{FFFD}" : $0
                }))
    }
}
