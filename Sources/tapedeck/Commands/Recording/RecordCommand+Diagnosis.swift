import Diagnosis
import Sessions
import Trace
import Wire

/// The output of `--diagnose`.
extension RecordCommand {
    /// Settles the findings of the session, prints those that were not printed yet and counts all.
    ///
    /// Called once the writer has finished.
    ///
    /// - Returns: What fails a command, by `--fail-on`.
    func sayWhatWasFound(_ live: LiveDiagnosis, _ writer: TraceWriter) -> [String] {
        let trace = writer.path
        if let failure = live.failure {
            StandardError.write("tapedeck: the live diagnosis ended early: \(failure)\n")
        } else if live.behind > 1_000_000_000 {
            StandardError.write(
                "tapedeck: the live diagnosis was up to \(TimeSpan.text(live.behind)) behind\n")
        }
        let diagnosis: TraceDiagnosis
        do {
            diagnosis = try TraceDiagnosis.shown(
                trace: trace, session: writer.session, patience: patience)
        } catch {
            StandardError.warn(error.detail)
            return [error.detail]
        }
        if let reason = diagnosis.unstored {
            StandardError.write("tapedeck: the findings are not stored: \(reason)\n")
        }
        guard let own = diagnosis.sessions.first else { return [] }
        for (finding, row) in zip(own.findings, own.rows) where !live.hasReported(row) {
            StandardOutput.write(FindingText.line(finding) + "\n")
        }
        let detail = FindingText.summary(own.findings, undecided: own.undecided)
        StandardOutput.write(
            detail
                + (own.findings.isEmpty && own.undecided.isEmpty
                    ? "\n" : "; tapedeck diagnose \(trace) shows them in full\n"))
        let failures = failOn.failures(
            findings: own.findings.map(\.severity), undecided: own.undecided.count)
        guard failOn != .never, own.counts.isEmpty, own.findings.isEmpty, own.undecided.isEmpty
        else { return failures }
        return failures + ["nothing to diagnose: \(own.counts.words)"]
    }
}
