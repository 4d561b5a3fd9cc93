/// Shortens values so that they can be read on one line.
enum OneLine {
    /// The maximum number of scalars of one value.
    static let most = 80

    /// `text` on one line; the middle of a long one is left out.
    static func text(_ text: some StringProtocol) -> String { cut(text, from: 0) }

    /// Two texts on one line each, cut so that the first difference is in sight.
    static func pair(_ a: String, _ b: String) -> (String, String) {
        guard a.utf8.count > most || b.utf8.count > most else {
            return (cut(a, from: 0), cut(b, from: 0))
        }
        let common = zip(a.unicodeScalars, b.unicodeScalars).prefix { $0 == $1 }.count
        let start = common > most / 2 ? common - most / 4 : 0
        return (cut(a, from: start), cut(b, from: start))
    }

    private static func cut(_ text: some StringProtocol, from start: Int) -> String {
        if start == 0 {
            // Nearly all of them: one byte is one scalar.
            let first = text.utf8.prefix(most)
            if first.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
                let isWhole = first.endIndex == text.utf8.endIndex
                return String(decoding: first, as: UTF8.self) + (isWhole ? "" : "…")
            }
        }
        var output = start > 0 ? "…" : ""
        var count = 0
        for scalar in text.unicodeScalars.dropFirst(start) {
            if count == most { return output + "…" }
            count += 1
            switch scalar {
            case "\n": output += "\\n"
            case "\r": output += "\\r"
            case "\t": output += "\\t"
            case _
            where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
                || scalar.value == 0x2028 || scalar.value == 0x2029
                || (0x202A...0x202E).contains(scalar.value)
                || (0x2066...0x2069).contains(scalar.value):
                output += "\\u{\(String(scalar.value, radix: 16))}"
            default: output.unicodeScalars.append(scalar)
            }
        }
        return output
    }
}
