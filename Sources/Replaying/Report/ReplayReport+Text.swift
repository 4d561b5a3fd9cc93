extension ReplayReport {
    /// The report for people, each line ending in a line feed.
    ///
    /// - Parameter allowsUnused: Whether something may be left over; it is named all the same.
    /// - Returns: Lines.
    public func text(allowsUnused: Bool = false) -> String {
        var lines: [String] = []
        for section in sections {
            lines.append(
                "\(section.name): \(section.matched) of \(section.recorded) matched, "
                    + "\(section.missed) missed, \(section.unused) never asked for")
            for miss in section.misses {
                lines += miss.lines("missed: ")
            }
            if section.misses.count < section.missed {
                lines.append("  … and \(section.missed - section.misses.count) more")
            }
            for item in section.unusedItems { lines += item.lines("never asked for: ") }
            if section.unusedItems.count < section.unused {
                lines.append("  … and \(section.unused - section.unusedItems.count) more")
            }
        }
        lines.append(isSatisfied(allowsUnused: allowsUnused) ? "satisfied" : "not satisfied")
        return lines.map { $0 + "\n" }.joined()
    }
}

extension ReplayReport.Item {
    fileprivate func lines(_ title: String) -> [String] {
        let all = (detail.isEmpty ? line : detail).split(
            separator: "\n", omittingEmptySubsequences: false)
        return all.enumerated().map { "  " + ($0.offset == 0 ? title : "") + $0.element }
    }
}
