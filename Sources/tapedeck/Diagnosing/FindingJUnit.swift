import Diagnosis
import Reports
import Sessions
import Wire

/// Findings as JUnit's XML: a test case for each rule.
enum FindingJUnit {
    /// A suite for each session; findings below the severity that `fails` are only printed.
    ///
    /// Names of cases are those of rules; what differs from run to run is in properties. Where
    /// `counts` are known, rules that nothing recorded could have broken are skipped. A session has
    /// the seed of its faults as a property, and a case its rule.
    static func text(
        _ sessions: [(id: SessionID, findings: [Finding])],
        undecided: [SessionID: [UndecidedDuty]] = [:],
        counts: [SessionID: EvidenceCounts] = [:], seeds: [SessionID: UInt64] = [:],
        rules: [Rule],
        fails: (FindingRow.Severity) -> Bool
    ) -> String {
        JUnitReport(
            suites: sessions.map { id, findings in
                let broken = Dictionary(grouping: findings, by: \.rule.id)
                let open = Dictionary(grouping: undecided[id] ?? [], by: \.rule.id)
                return JUnitReport.Suite(
                    name: "session \(id)",
                    cases: rules.map { rule in
                        let topic = RuleTopic(of: rule)
                        let found = broken[rule.id] ?? []
                        var outcome = outcome(found, open[rule.id] ?? [], fails)
                        if case .passed("") = outcome,
                            let counts = counts[id], !rule.isExercised(by: counts.kinds)
                        {
                            outcome = .skipped(message: "not exercised: \(topic.title)")
                        }
                        return JUnitReport.Case(
                            group: topic.id, name: rule.id, seconds: "0", outcome,
                            properties: [("rule", rule.id), ("severity", rule.severity.rawValue)]
                                + found.prefix(maxProperties).map(property))
                    }, properties: seeds[id].map { [("seed", "\($0)")] } ?? [])
            }
        ).text
    }

    /// Findings of one rule that have a property.
    private static let maxProperties = 20

    /// `f1 phone-1 2.000 s: command c12, exchange 7`.
    private static func property(_ finding: Finding) -> (name: String, value: String) {
        let rows = finding.steps.map(FindingText.row).filter { !$0.isEmpty }
        let number = finding.number.map { "\($0) " } ?? ""
        return (
            "finding",
            "\(number)\(ListLine.clean(finding.client)) \(TimeSpan.clock(finding.at.nanoseconds)) s: "
                + rows.joined(separator: ", ")
        )
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
