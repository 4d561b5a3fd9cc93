import Diagnosis
import Dissection
import Filters
import Formats
import Inspection
import Notation
import Pages
import Sessions
import Trace
import Wire

/// Writes a trace as a report for a browser: rows with what `show` prints of them, findings, and the state
/// at the end.
struct ReportExport {
    /// How large the texts of a report may become together, in bytes.
    static let maxBytes = 32 << 20
    /// The maximum number of rows.
    static let maxRows = 100_000

    /// The trace that is read, which may be a redacted copy.
    let trace: String
    /// The name of the trace in the report.
    let name: String
    /// What is selected; nil for all.
    let filter: Filter?
    /// The same as text.
    let words: String
    /// Whether secrets were replaced.
    let isRedacted: Bool

    /// What was left out.
    struct Outcome {
        var rows = 0
        var rowsLeftOut = 0
        var textsLeftOut = 0

        /// In words; empty where it is nothing.
        var leftOut: String {
            var parts: [String] = []
            if rowsLeftOut > 0 {
                parts.append("\(Summary.count(Int64(rowsLeftOut), "row")) after the first \(rows)")
            }
            if textsLeftOut > 0 {
                parts.append("the details of \(Summary.count(Int64(textsLeftOut), "row"))")
            }
            return parts.isEmpty ? "" : parts.joined(separator: " and ") + " were left out"
        }
    }

    /// The report, and what was left out of it.
    ///
    /// - Parameter goesOn: Called for each row; returns whether to go on.
    /// - Returns: HTML in UTF-8, and what was left out.
    /// - Throws: ``Failure`` where the trace cannot be read.
    func make(while goesOn: () -> Bool) throws -> (html: [UInt8], outcome: Outcome) {
        let diagnosis: TraceDiagnosis
        do { diagnosis = try TraceDiagnosis.read(trace: trace) } catch { throw Failure(error) }
        let reader = try TraceReader.opened(trace)
        let sessions = try reader.reading { r throws(TraceError) in try r.sessions() }
        let findings = diagnosis.sessions.flatMap { session in
            session.findings.map { (session: session.id, finding: $0) }
        }
        var rows = try ReportRows(
            reader: reader, sessions: sessions, findings: findings.map(\.finding))
        var outcome = Outcome()
        var failure: Failure?
        try reader.reading { r throws(TraceError) in
            try r.lines(filter, with: ListedMessages(for: filter)) { line in
                guard outcome.rows < Self.maxRows else {
                    outcome.rowsLeftOut += 1
                    return goesOn()
                }
                outcome.rows += 1
                do throws(Failure) {
                    let hasText = try rows.add(line, withText: rows.bytes < Self.maxBytes)
                    if !hasText { outcome.textsLeftOut += 1 }
                } catch {
                    failure = error
                    return false
                }
                return goesOn()
            }
        }
        if let failure { throw failure }
        var content = JSONObjectText()
        content.add("trace", name)
        content.add("about", about(outcome))
        content.add("leftOut", outcome.leftOut)
        content.add("state", try state())
        let selected = filter == nil ? findings : findings.filter { rows.hasEvidence($0.finding) }
        content.add("findings", raw: ReportFindings.json(selected, TraceClock(sessions)))
        content.add("rows", raw: "[\(rows.json.joined(separator: ",\n"))]")
        return (ReportPage.html(Array(content.text.utf8)), outcome)
    }

    private func about(_ outcome: Outcome) -> String {
        let selected = words.isEmpty ? "" : " of \(words)"
        let left = outcome.leftOut.isEmpty ? "" : "; \(outcome.leftOut)"
        let secrets = isRedacted ? "secrets are replaced" : "with all secrets"
        return "\(Summary.count(Int64(outcome.rows), "row"))\(selected), \(secrets)\(left); "
            + "tapedeck \(Program.version)"
    }

    /// The state of both sides at the end, as `state` prints it.
    private func state() throws -> String {
        let reader: StateReader
        do { reader = try StateReader(path: trace) } catch { throw Failure(error) }
        let reading = try SessionStateReading.shown(
            reader, upto: try StateTime.moment(at: nil, session: nil), "reading")
        let view = StateView(
            state: reading.state, at: reading.at, anchor: reader.anchor, bucket: nil, user: nil,
            key: nil)
        var text = ""
        _ = StatePage(view: view, put: { text += $0 }).write()
        return text
    }
}
