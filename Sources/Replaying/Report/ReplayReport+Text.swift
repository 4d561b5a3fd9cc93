extension ReplayReport {
    /// The report as text, each line ending in a line feed.
    ///
    /// - Parameters:
    ///   - allowsUnused: Whether something may be left over; it is listed nevertheless.
    ///   - allowsBridged: Whether the client may have bridged differences; they are listed
    ///     nevertheless.
    /// - Returns: Lines.
    public func text(allowsUnused: Bool = false, allowsBridged: Bool = false) -> String {
        var lines: [String] = []
        for section in sections {
            lines.append(
                "\(section.name): \(section.matched) of \(section.recorded) \(words.matched), "
                    + "\(section.missed) \(words.missed), \(section.unused) \(words.unused)"
                    + (section.notNeeded > 0 ? ", \(section.notNeeded) not needed" : "")
                    + (section.bridged > 0 ? ", \(section.bridged) bridged" : ""))
            for miss in section.misses {
                lines += miss.lines("\(words.missed): ")
            }
            if section.misses.count < section.missed {
                lines.append("  … and \(section.missed - section.misses.count) more")
            }
            for item in section.unusedItems { lines += item.lines("\(words.unused): ") }
            if section.unusedItems.count < section.unused {
                lines.append("  … and \(section.unused - section.unusedItems.count) more")
            }
            for item in section.bridgedItems { lines += item.lines("bridged: ") }
            if section.bridgedItems.count < section.bridged {
                lines.append("  … and \(section.bridged - section.bridgedItems.count) more")
            }
        }
        var verdict = words.verdict(
            isSatisfied(allowsUnused: allowsUnused, allowsBridged: allowsBridged))
        if let nothing {
            verdict += ": \(nothing)"
        } else if bridged > 0, isSatisfied(allowsUnused: allowsUnused, allowsBridged: true) {
            verdict += allowsBridged ? " but what the client bridged" : ": the client bridged it"
        }
        lines.append(verdict)
        return lines.map { $0 + "\n" }.joined()
    }
}

extension ReplayReport {
    /// Why nothing was compared; nil where something was.
    public var nothing: String? {
        if isEmpty { return "nothing is recorded" }
        guard isIdle else { return nil }
        return words == .server ? "nothing was requested" : "nothing was answered"
    }
}

extension ReplayReport.Words {
    /// The word for those that had their counterpart.
    var matched: String { self == .server ? "matched" : "the same" }
    /// The word for those that had none.
    var missed: String { self == .server ? "missed" : "different" }
    /// The word for those that are left over.
    var unused: String { self == .server ? "never asked for" : "not played" }

    fileprivate func verdict(_ isSatisfied: Bool) -> String {
        switch self {
        case .server: isSatisfied ? "satisfied" : "not satisfied"
        case .client: isSatisfied ? "no difference" : "not the same"
        }
    }
}

extension ReplayReport.Item {
    fileprivate func lines(_ title: String) -> [String] {
        let all = (detail.isEmpty ? line : detail).split(
            separator: "\n", omittingEmptySubsequences: false)
        return all.enumerated().map { "  " + ($0.offset == 0 ? title : "") + $0.element }
    }
}
