import Notation
import Wire

/// Shortens text for display, so that a line stays a line.
enum Excerpt {
    /// Characters of a text that is shown in full.
    static let most = 60
    /// Characters that are shown on each side of a difference.
    static let context = 12

    /// `text` as a JSON string, its end left out where it is long.
    static func quote(_ text: String, most: Int = most) -> String {
        // The prefix is taken by scalars, since a grapheme may be as long as the text.
        let scalars = text.unicodeScalars.prefix(most * 4)
        let characters = String(String.UnicodeScalarView(scalars)).prefix(most)
        let isWhole = characters.utf8.count == text.utf8.count
        return escape(String(characters)) { isWhole ? $0 : $0 + "…" }
    }

    /// `value` as JSON, its end left out where it is long.
    static func show(_ value: JSONValue) -> String {
        if case .string(let text) = value { return quote(text) }
        let text = value.text()
        guard text.utf8.count > most else { return text }
        let scalars = text.unicodeScalars.prefix(most * 4)
        let characters = String(String.UnicodeScalarView(scalars)).prefix(most)
        return characters.utf8.count == text.utf8.count ? text : characters + "…"
    }

    /// Both texts around what differs between them, with `…` for what is left out.
    ///
    /// Texts are cut at code points; up to ``most`` of them differ visibly.
    static func difference(_ old: String, _ new: String) -> (String, String) {
        let old = Array(old.unicodeScalars)
        let new = Array(new.unicodeScalars)
        let shorter = min(old.count, new.count)
        var prefix = 0
        while prefix < shorter, old[prefix] == new[prefix] { prefix += 1 }
        var suffix = 0
        while suffix < shorter - prefix,
            old[old.count - 1 - suffix] == new[new.count - 1 - suffix]
        {
            suffix += 1
        }
        guard max(old.count, new.count) > most else { return (cut(old, 0, 0), cut(new, 0, 0)) }
        return (cut(old, prefix, suffix), cut(new, prefix, suffix))
    }

    /// The text without most of the equal parts at its start and end.
    private static func cut(_ text: [UnicodeScalar], _ prefix: Int, _ suffix: Int) -> String {
        let start = prefix > context + 1 ? prefix - context : 0
        let end = suffix > context + 1 ? text.count - suffix + context : text.count
        var shown = String(String.UnicodeScalarView(text[start..<max(start, end)]))
        if end - start > most * 2 {
            let half = most / 2
            shown =
                String(String.UnicodeScalarView(text[start..<start + half])) + "…"
                + String(String.UnicodeScalarView(text[end - half..<end]))
        }
        return escape(shown) {
            (start > 0 ? "…" : "") + $0 + (end < text.count ? "…" : "")
        }
    }

    /// A JSON string of `text`, with marks inside the quotes.
    private static func escape(_ text: String, marks: (String) -> String) -> String {
        let quoted = JSONValue.string(text).text()
        return "\"" + marks(String(Substring(quoted.utf8.dropFirst().dropLast()))) + "\""
    }
}
