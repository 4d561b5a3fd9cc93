import Faults
import Sessions
import Trace
import Wire

/// The verdicts in Markdown, for a job's summary.
enum FaultsReportMarkdown {
    /// Faults that are listed; a summary of GitHub has at most 1 MiB.
    private static let maxFaults = 200

    /// The whole report.
    static func text(_ judgement: FaultJudgement, trace: String) -> String {
        var text = "### tapedeck faults report \(MarkdownText.cell(trace))\n\n"
        text += "\(FaultsReportText.summary(judgement)).\n"
        for session in judgement.sessions {
            let seed = session.detail.seed.map { ", seed \($0)" } ?? ""
            text += "\nSession \(session.detail.id)\(seed)\n\n"
            let rows = FaultsReportText.rows(session.faults)
            text += MarkdownText.table(rows.head, Array(rows.body.prefix(maxFaults)))
            if rows.body.count > maxFaults {
                text += "\nand \(rows.body.count - maxFaults) more\n"
            }
            for rule in session.unmatched {
                text += "\nThe rule \(MarkdownText.cell(rule)) matched nothing.\n"
            }
        }
        return text
    }
}
