/// Parts of a report in Markdown, as job summaries of build servers show it.
enum MarkdownText {
    /// A table; cells are escaped.
    static func table(_ head: [String], _ rows: [[String]]) -> String {
        let lines =
            [head, head.map { _ in "---" }].map { $0.joined(separator: " | ") }
            + rows.map { $0.map(cell).joined(separator: " | ") }
        return lines.map { "| \($0) |\n" }.joined()
    }

    /// Text within a line or a cell: nothing in it is markup.
    static func cell(_ text: String) -> String {
        var escaped = ""
        for character in ListLine.clean(text) {
            switch character {
            case "<": escaped += "&lt;"
            case "&": escaped += "&amp;"
            case "\\", "*", "_", "`", "|", "[", "]", "~", "#": escaped += "\\\(character)"
            default: escaped.append(character.isNewline ? " " : character)
            }
        }
        return escaped
    }

    /// Text as it is, between fences that it does not contain.
    static func verbatim(_ text: String) -> String {
        var (run, longest) = (0, 2)
        for character in text {
            run = character == "`" ? run + 1 : 0
            longest = max(longest, run)
        }
        let fence = String(repeating: "`", count: longest + 1)
        return "\(fence)text\n\(text)\(text.hasSuffix("\n") ? "" : "\n")\(fence)\n"
    }

    /// What is shown once it is opened.
    static func folded(_ title: String, _ content: String) -> String {
        "<details><summary>\(cell(title))</summary>\n\n\(content)\n</details>\n"
    }
}
