import Filters

/// Filters as mitmproxy writes them, which its users type from habit.
enum MitmproxyFilter {
    /// What the operators are called here, with the start of a comparison.
    private static let operators = [
        "~m": "method:", "~u": "url~", "~c": "status:", "~d": "host~", "~b": "body~",
        "~t": "header.content-type~",
    ]

    /// The same in the filter language; nil where it is not one of mitmproxy's or has what is not
    /// known here.
    static func translated(_ text: String) -> String? {
        var words = text.replacing("(", with: " ( ").replacing(")", with: " ) ")
            .replacing("!", with: " ! ").split(separator: " ").map(String.init)[...]
        var parts: [String] = []
        while let word = words.popFirst() {
            switch word {
            case "&": parts.append("and")
            case "|": parts.append("or")
            case "!": parts.append("not")
            case _ where word.hasPrefix("~"):
                guard let start = operators[word], let value = words.popFirst() else { return nil }
                parts.append(start + value)
            default: parts.append(word)
            }
        }
        let result = parts.joined(separator: " ").replacing("( ", with: "(")
            .replacing(" )", with: ")")
        return result != text && (try? Filter.parse(result)) != nil ? result : nil
    }
}
