import Diagnosis
import Notation
import Wire

/// Findings as JUnit's XML: a test case for each rule.
enum FindingJUnit {
    /// A suite for each session; findings that are not of a severity that `fails` are printed alone.
    static func text(
        _ sessions: [(id: SessionID, findings: [Finding])], rules: [Rule],
        fails: (FindingRow.Severity) -> Bool
    ) -> String {
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
        for (id, findings) in sessions {
            let broken = Dictionary(grouping: findings, by: \.rule.id)
            let failed = broken.values.count { $0.contains { fails($0.severity) } }
            text += "  <testsuite name=\"session \(id)\" tests=\"\(rules.count)\""
            text += " failures=\"\(failed)\" errors=\"0\" skipped=\"0\">\n"
            for rule in rules { text += testCase(rule, broken[rule.id] ?? [], fails) }
            text += "  </testsuite>\n"
        }
        return text + "</testsuites>\n"
    }

    private static func testCase(
        _ rule: Rule, _ findings: [Finding], _ fails: (FindingRow.Severity) -> Bool
    ) -> String {
        let escaped = { Markup.escaped($0) }
        var text = "    <testcase classname=\"\(escaped(RulePage.area(rule)))\""
        text += " name=\"\(escaped(rule.id))\" time=\"0\""
        guard let first = findings.first else { return text + "/>\n" }
        let pages = findings.map { FindingText.paragraph($0, hasColour: false) }
            .joined(separator: "\n")
        // Line ends stay, unlike in attributes.
        let body = pages.split(separator: "\n", omittingEmptySubsequences: false)
            .map { escaped(String($0)) }.joined(separator: "\n")
        let count = findings.count > 1 ? " (and \(findings.count - 1) more)" : ""
        let message = escaped(first.says + count)
        if let failing = findings.first(where: { fails($0.severity) }) {
            return text + "><failure type=\"\(failing.severity.rawValue)\" message=\"\(message)\">"
                + body + "</failure></testcase>\n"
        }
        return text + "><system-out>\(body)</system-out></testcase>\n"
    }
}
