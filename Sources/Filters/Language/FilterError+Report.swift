extension FilterError {
    /// The error, its line of the filter, and a mark under every erroneous character.
    ///
    /// - Parameter text: The text that was parsed.
    /// - Returns: Three lines without a line feed at the end. Long lines are cut around the place.
    public func report(in text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        let start = min(max(range.lowerBound, 0), scalars.count)
        let end = min(max(range.upperBound, start), scalars.count)
        var low = start
        while low > 0, scalars[low - 1] != "\n" { low -= 1 }
        var high = start
        while high < scalars.count, scalars[high] != "\n" { high += 1 }
        let isCutLow = start - low > Self.context
        if isCutLow { low = start - Self.context }
        let isCutHigh = high - max(end, start) > Self.context || high - start > 2 * Self.context
        if isCutHigh { high = min(high, min(end, start + Self.context) + Self.context) }

        var line = isCutLow ? "  ..." : "  "
        var marks = String(repeating: " ", count: line.count)
        for index in low..<high {
            let scalar = scalars[index]
            let isTab = scalar == "\t"
            let shown = isTab ? scalar : Self.isInvisible(scalar) ? " " : scalar
            line.unicodeScalars.append(shown)
            let width = isTab ? 1 : shown.terminalColumns
            let mark = index >= start && index < end ? "^" : isTab ? "\t" : " "
            if index < max(end, start) { marks += String(repeating: mark, count: width) }
        }
        if isCutHigh { line += "..." }
        if start == end || !marks.contains("^") { marks += "^" }
        return "\(description)\n\(line)\n\(marks)"
    }

    /// Characters of a long line that are shown on either side.
    private static let context = 40

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control
    }
}
