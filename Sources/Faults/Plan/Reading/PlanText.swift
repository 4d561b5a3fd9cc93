/// How values are written in the one-line form.
enum PlanText {
    /// `text` as it is, or in quotation marks where it would be read as something else.
    static func written(_ text: String, isPositional: Bool = false) -> String {
        let isBare =
            !text.isEmpty && text.first != "\"" && text.first != "'"
            && !text.unicodeScalars.contains {
                $0.properties.isWhitespace || $0.properties.generalCategory == .control
            } && !(isPositional && hasKey(text)) && text != "=>"
        return isBare ? text : quoted(text)
    }

    /// `text` in double quotation marks.
    static func quoted(_ text: String) -> String {
        var written = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": written += "\\\""
            case "\\": written += "\\\\"
            case "\n": written += "\\n"
            case "\r": written += "\\r"
            case "\t": written += "\\t"
            default: written.unicodeScalars.append(scalar)
            }
        }
        return written + "\""
    }

    /// Whether `text` begins like `key=`.
    static func hasKey(_ text: String) -> Bool { keyLength(Array(text.unicodeScalars), 0) != nil }

    /// How long the key is that `=` follows, of the word that begins at `start`.
    static func keyLength(_ scalars: [Unicode.Scalar], _ start: Int) -> Int? {
        var end = start
        while end < scalars.count, isKeyScalar(scalars[end], isFirst: end == start) { end += 1 }
        guard end > start, end < scalars.count, scalars[end] == "=" else { return nil }
        return end - start
    }

    private static func isKeyScalar(_ scalar: Unicode.Scalar, isFirst: Bool) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z": true
        case "-", "_", "0"..."9": !isFirst
        default: false
        }
    }

    /// A span of time with the largest unit that keeps it whole.
    static func written(nanoseconds: Int64) -> String {
        let units: [(String, Int64)] = [
            ("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000),
            ("ms", 1_000_000), ("us", 1000),
        ]
        if nanoseconds == 0 { return "0s" }
        for (unit, length) in units where nanoseconds % length == 0 {
            return "\(nanoseconds / length)\(unit)"
        }
        return "\(nanoseconds)ns"
    }
}
