import Diagnosis
import Reports
import Wire

/// Findings as JUnit's XML: a test case for each rule.
enum FindingJUnit {
    /// A suite for each session; findings below the severity that `fails` are only printed.
    static func text(
        _ sessions: [(id: SessionID, findings: [Finding])],
        undecided: [SessionID: [UndecidedDuty]] = [:], rules: [Rule],
        fails: (FindingRow.Severity) -> Bool
    ) -> String {
        JUnitReport(
            suites: sessions.map { id, findings in
                let broken = Dictionary(grouping: findings, by: \.rule.id)
                let open = Dictionary(grouping: undecided[id] ?? [], by: \.rule.id)
                return JUnitReport.Suite(
                    name: "session \(id)",
                    cases: rules.map { rule in
                        JUnitReport.Case(
                            group: RuleTopic(of: rule).id, name: rule.id, seconds: "0",
                            outcome(broken[rule.id] ?? [], open[rule.id] ?? [], fails))
                    })
            }
        ).text
    }

    private static func outcome(
        _ findings: [Finding], _ open: [UndecidedDuty], _ fails: (FindingRow.Severity) -> Bool
    ) -> JUnitReport.Outcome {
        if findings.isEmpty, let first = open.first {
            return .skipped(
                message: FindingText.waiting(first),
                detail: open.map { FindingText.paragraph($0) }.joined(separator: "\n"))
        }
        let pages = findings.map { FindingText.paragraph($0, hasColour: false) }
            .joined(separator: "\n")
        guard let first = findings.first,
            let failing = findings.first(where: { fails($0.severity) })
        else { return .passed(output: pages) }
        let count = findings.count > 1 ? " (and \(findings.count - 1) more)" : ""
        return .failed(
            message: first.detail + count, type: failing.severity.rawValue, detail: pages)
    }
}
