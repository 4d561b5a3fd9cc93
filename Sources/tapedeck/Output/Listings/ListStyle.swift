/// How the lines of a listing look.
struct ListStyle {
    /// Columns of a line; nil without a limit.
    var columns: Int?
    /// Whether there are colours.
    var hasColour: Bool
    /// Columns of the times.
    var timeWidth = 9

    /// The style for standard output.
    static var standard: ListStyle {
        ListStyle(columns: Terminal.columns, hasColour: StandardOutput.hasColour)
    }

    /// Whether a line has room for all of its columns.
    var isWide: Bool { columns.map { $0 >= 120 } ?? true }

    /// Whether a line has room for a size and a duration.
    var hasMeasures: Bool { columns.map { $0 >= 64 } ?? true }

    /// The text in the colour of a status; one of nil is red.
    func painted(_ text: String, _ status: Int?) -> String {
        guard hasColour, !text.isEmpty else { return text }
        let colour =
            switch status ?? 999 {
            case ..<300: 32
            case ..<400: 36
            case ..<500: 33
            default: 31
            }
        return "\u{1B}[\(colour)m\(text)\u{1B}[0m"
    }

    /// Columns that are left behind those that are taken; nil without a limit.
    func left(after taken: Int) -> Int? { columns.map { max(0, $0 - taken) } }
}
