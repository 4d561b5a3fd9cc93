import Notation

extension ReplayReport {
    /// The report as JUnit's XML: a suite for each section, a failure for each thing missed or left
    /// over, and one test for all that matched.
    ///
    /// - Parameter allowsUnused: Whether something may be left over; it is skipped then.
    /// - Returns: A document.
    public func junit(allowsUnused: Bool = false) -> String {
        var output = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
        for section in sections {
            let left = section.unusedItems
            let failures = section.misses.count + (allowsUnused ? 0 : left.count)
            output +=
                "  <testsuite name=\"\(Markup.escaped(section.name))\" "
                + "tests=\"\(1 + section.misses.count + left.count)\" failures=\"\(failures)\" "
                + "errors=\"0\" skipped=\"\(allowsUnused ? left.count : 0)\">\n"
            output += "    <testcase classname=\"\(Markup.escaped(section.name))\" "
            output += "name=\"\(section.matched) of \(section.recorded) \(words.matched)\"/>\n"
            for miss in section.misses {
                output += Self.test(section.name, miss, "failure", words.missed)
            }
            for item in left {
                output += Self.test(
                    section.name, item, allowsUnused ? "skipped" : "failure", words.unused)
            }
            if section.misses.count < section.missed || left.count < section.unused {
                output +=
                    "    <system-out>\(section.missed) \(words.missed), \(section.unused) \(words.unused)"
                    + "; not all are listed</system-out>\n"
            }
            output += "  </testsuite>\n"
        }
        return output + "</testsuites>\n"
    }

    private static func test(
        _ section: String, _ item: Item, _ outcome: String, _ message: String
    ) -> String {
        "    <testcase classname=\"\(Markup.escaped(section))\" name=\"\(Markup.escaped(item.line))\">"
            + "<\(outcome) message=\"\(message)\">\(Markup.escaped(item.detail))</\(outcome)>"
            + "</testcase>\n"
    }
}
