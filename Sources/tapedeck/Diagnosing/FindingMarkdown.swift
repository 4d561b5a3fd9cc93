import Diagnosis
import Wire

/// Findings in Markdown, for a job's summary: a table, and each finding in full where it is opened.
enum FindingMarkdown {
    /// Findings that are shown in full; a summary of GitHub has at most 1 MiB.
    private static let maxFindings = 50

    /// The whole report.
    static func text(
        _ sessions: [(id: SessionID, findings: [Finding])],
        undecided: [SessionID: [UndecidedDuty]], summary: String, trace: String
    ) -> String {
        var text = "### tapedeck diagnose \(MarkdownText.cell(trace))\n\n"
        text += MarkdownText.cell(summary) + ".\n"
        let findings = sessions.flatMap(\.findings)
        let open = sessions.flatMap { undecided[$0.id] ?? [] }
        let rows =
            findings.map { finding in
                [
                    finding.severity.rawValue, finding.rule.id,
                    finding.number.map(\.description) ?? "",
                    "\(TimeSpan.clock(finding.at.nanoseconds)) s", finding.client, finding.detail,
                ]
            }
            + open.map { duty in
                [
                    "undecided", duty.rule.id, duty.number.map(\.description) ?? "",
                    "\(TimeSpan.clock(duty.at.nanoseconds)) s", duty.client,
                    FindingText.waiting(duty),
                ]
            }
        guard !rows.isEmpty else { return text }
        text += "\n"
        text += MarkdownText.table(
            ["Severity", "Rule", "Number", "Time", "Client", "What"],
            Array(rows.prefix(maxFindings)))
        if rows.count > maxFindings {
            text += "\nand \(rows.count - maxFindings) more, which `tapedeck diagnose` prints\n"
        }
        for finding in findings.prefix(maxFindings) {
            let number = finding.number.map { "\($0) " } ?? ""
            text += "\n"
            text += MarkdownText.folded(
                number + finding.rule.id,
                MarkdownText.verbatim(FindingText.paragraph(finding, hasColour: false)))
        }
        return text
    }
}
