import Replaying

/// A line that says what differs, in the manner of `diff -u`.
struct DiffLine {
    /// The colour of a line on a terminal.
    enum Colour: String {
        case red = "31"
        case green = "32"
        case cyan = "36"
        case yellow = "33"
    }

    /// The line.
    let text: String
    /// Its colour; nil for none.
    let colour: Colour?

    init(_ text: String, _ colour: Colour? = nil) {
        self.text = text
        self.colour = colour
    }

    /// The line as it is printed.
    func painted(_ hasColour: Bool) -> String {
        guard hasColour, let colour else { return text }
        return "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
    }

    /// What was recorded at a place, and what came.
    static func lines(_ what: String, _ difference: Difference) -> [DiffLine] {
        let place = ListLine.clean(what + difference.place)
        var lines: [DiffLine] = []
        if let value = difference.recorded {
            lines.append(DiffLine("-     \(place): \(ListLine.clean(value))", .red))
        }
        if let value = difference.live {
            lines.append(DiffLine("+     \(place): \(ListLine.clean(value))", .green))
        }
        return lines.isEmpty ? [DiffLine("~     \(place)", .yellow)] : lines
    }
}
