internal import Reports

extension ReplayReport {
    /// The report as JUnit's XML: a suite for each section, a failure for each thing missed or left
    /// over, and one test for all that matched.
    ///
    /// - Parameter allowsUnused: Whether something may be left over; it is skipped then.
    /// - Returns: A document.
    public func junit(allowsUnused: Bool = false) -> String {
        let suites = sections.map { section in
            var cases = [
                JUnitReport.Case(
                    group: section.name,
                    name: "\(section.matched) of \(section.recorded) \(words.matched)", .passed())
            ]
            for miss in section.misses {
                cases.append(
                    .init(
                        group: section.name, name: miss.line,
                        .failed(message: words.missed, detail: miss.detail)))
            }
            let left = section.unusedItems
            for item in left {
                cases.append(
                    .init(
                        group: section.name, name: item.line,
                        allowsUnused
                            ? .skipped(message: words.unused, detail: item.detail)
                            : .failed(message: words.unused, detail: item.detail)))
            }
            let isCut = section.misses.count < section.missed || left.count < section.unused
            return JUnitReport.Suite(
                name: section.name, cases: cases,
                output: isCut
                    ? "\(section.missed) \(words.missed), \(section.unused) \(words.unused)"
                        + "; not all are listed" : "")
        }
        return JUnitReport(suites: suites).text
    }
}
