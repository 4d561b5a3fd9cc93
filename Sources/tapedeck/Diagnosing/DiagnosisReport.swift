import Diagnosis
import Sessions
import Wire

/// The report of a diagnosis: the selected findings that are not in the baseline.
struct DiagnosisReport {
    /// The findings of each session.
    let sessions: [(id: SessionID, findings: [Finding])]
    /// What could not be decided in each session.
    let undecided: [SessionID: [UndecidedDuty]]
    private let diagnosis: TraceDiagnosis
    private let choice: RuleChoice
    private let known: Int

    init(_ diagnosis: TraceDiagnosis, choice: RuleChoice, known: FindingBaseline?) {
        self.diagnosis = diagnosis
        self.choice = choice
        var count = 0
        sessions = diagnosis.sessions.map { session in
            let wanted = session.findings.filter { choice.takes($0.rule) }
            let new = wanted.filter { known?.knows($0) != true }
            count += wanted.count - new.count
            return (session.id, new)
        }
        self.known = count
        undecided = Dictionary(
            diagnosis.sessions.map { session in
                (session.id, session.undecided.filter { choice.takes($0.rule) })
            }, uniquingKeysWith: { $0 + $1 })
    }

    /// The findings of all sessions.
    var all: [Finding] { sessions.flatMap(\.findings) }

    /// What could not be decided in all sessions.
    var allUndecided: [UndecidedDuty] { undecided.values.flatMap(\.self) }

    /// Prints an object on a line for each finding.
    func printJSON() {
        for session in sessions {
            for finding in session.findings {
                StandardOutput.write(FindingJSON.line(finding, session: session.id) + "\n")
            }
            for duty in undecided[session.id] ?? [] {
                StandardOutput.write(FindingJSON.line(duty, session: session.id) + "\n")
            }
        }
    }

    /// Prints a paragraph for the first finding of each rule with a line for each other one, and a
    /// summary.
    func printText(_ notation: TimeNotation = .relative, _ column: TimeColumn) {
        for session in sessions {
            let open = undecided[session.id] ?? []
            if session.findings.isEmpty && open.isEmpty { continue }
            if sessions.count > 1 { StandardOutput.write("session \(session.id)\n\n") }
            let times = FindingTimes(notation, column, in: session.id)
            for group in Self.byRule(session.findings) {
                guard let first = group.first else { continue }
                StandardOutput.write(FindingText.paragraph(first, times))
                StandardOutput.write(FindingText.repeats(Array(group.dropFirst()), times) + "\n")
            }
            for duty in open {
                StandardOutput.write(FindingText.paragraph(duty, times) + "\n")
            }
        }
        StandardOutput.write(summary + "\n")
    }

    /// The report in Markdown.
    func markdown(trace: String) -> String {
        FindingMarkdown.text(sessions, undecided: undecided, summary: summary, trace: trace)
    }

    /// The counts of what was diagnosed, by session.
    var counts: [SessionID: EvidenceCounts] {
        Dictionary(
            diagnosis.sessions.map { ($0.id, $0.counts) }, uniquingKeysWith: { $0 + $1 })
    }

    /// The random seeds of the faults of each session that has them.
    var seeds: [SessionID: UInt64] {
        Dictionary(
            diagnosis.sessions.compactMap { session in session.seed.map { (session.id, $0) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// What there was, in words, where that is nothing that a rule could be about; nil otherwise.
    var nothing: String? {
        let all = diagnosis.sessions.reduce(EvidenceCounts()) { $0 + $1.counts }
        let isSilent = diagnosis.sessions.allSatisfy { $0.findings.isEmpty && $0.undecided.isEmpty }
        return all.isEmpty && isSilent ? all.words : nil
    }

    /// The findings of each rule, in the order of the first ones.
    static func byRule(_ findings: [Finding]) -> [[Finding]] {
        var places: [String: Int] = [:]
        var groups: [[Finding]] = []
        for finding in findings {
            if let place = places[finding.rule.id] {
                groups[place].append(finding)
            } else {
                places[finding.rule.id] = groups.count
                groups.append([finding])
            }
        }
        return groups
    }

    private var summary: String {
        let counts = diagnosis.sessions.reduce(EvidenceCounts()) { $0 + $1.counts }
        var text = FindingText.summary(all, undecided: allUndecided)
        text += " in \(counts.words)"
        let left = diagnosis.sessions.flatMap(\.leftOut).filter { id, _ in
            choice.rules.contains { $0.id == id }
        }.reduce(0) { $0 + $1.value }
        if left > 0 { text += "; \(left) more of the same rules were not kept" }
        if known > 0 { text += "; \(known) known" }
        if diagnosis.sessions.contains(where: \.isRunning) {
            text += "; the session is still running, and what is missing may still arrive"
        }
        return text
    }
}
