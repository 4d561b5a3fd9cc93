import Formats

/// A table as text: a line of names, columns that line up, and no wider than the terminal.
struct TextTable {
    /// Columns of the terminal; nil without a limit.
    let columns: Int?

    private static let gap = "  "
    /// A column of text is not made narrower than that.
    private static let narrowest = 8

    /// The lines, with line ends.
    func text(_ table: ListTable) -> String {
        let names = table.names.map(\.name)
        let rows = table.lines.map { line in
            zip(names, line).map { ListLine.clean(Self.text($1, column: $0)) }
        }
        let isText = names.indices.map { index in
            table.lines.contains { line in
                if case .text = line[index] { true } else { false }
            }
        }
        let widths = fitted(
            names.indices.map { index in
                ([names[index]] + rows.map { $0[index] }).map { TextWidth.of($0) }.max() ?? 0
            }, isText)
        var text = ""
        for row in [names] + rows {
            let cells = row.indices.map { index in
                let width = widths[index]
                let isPath = ["url", "path", "query"].contains(names[index])
                let cell =
                    isPath
                    ? TextWidth.shortened(row[index], width) : TextWidth.cut(row[index], width)
                if !isText[index] { return TextWidth.paddedLeft(cell, width) }
                return index == row.count - 1 ? cell : TextWidth.padded(cell, width)
            }
            text += cells.joined(separator: Self.gap) + "\n"
        }
        return text
    }

    /// The widths with the widest columns of text made narrower until the line fits.
    private func fitted(_ widths: [Int], _ isText: [Bool]) -> [Int] {
        guard let columns else { return widths }
        var widths = widths
        var excess = widths.reduce(0, +) + Self.gap.count * (widths.count - 1) - columns
        while excess > 0 {
            let candidates = widths.indices.filter { isText[$0] && widths[$0] > Self.narrowest }
            guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }

    private static func text(_ cell: ListCell, column: String) -> String {
        switch cell {
        case .none: ""
        case .number(let number): String(number)
        case .nanoseconds(let span):
            column == ListColumn.at.rawValue ? TimeSpan.clock(span) : TimeSpan.text(span)
        case .bytes(let bytes): ByteCount.text(bytes)
        case .clock(let moment):
            "\(LocalTime(unixNanoseconds: moment).day) \(LocalTime(unixNanoseconds: moment).clock)"
        case .text(let text): text
        }
    }
}
