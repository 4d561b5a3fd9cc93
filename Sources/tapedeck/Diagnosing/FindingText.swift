import Diagnosis
import Trace
import Wire

/// Findings as text.
enum FindingText {
    /// Columns of a line before it is broken: those of the terminal, within what reads well.
    private static let width = Terminal.columns.map { min(max($0, 40), 160) } ?? 100

    /// A paragraph about a finding.
    static func paragraph(
        _ finding: Finding, _ times: FindingTimes = .relative,
        hasColour: Bool = StandardOutput.hasColour
    ) -> String {
        var head = paint(finding.severity.rawValue, finding.severity, hasColour)
        head += " \(finding.rule.id)"
        if let number = finding.number { head += "  \(number)" }
        head += "  \(times.text(finding.at))"
        head += "  \(finding.rule.blames) \(ListLine.clean(finding.client))"
        if !finding.topic.isEmpty { head += "  \(ListLine.clean(finding.topic))" }
        if finding.times > 1 {
            head += "  \(finding.times) times, last at \(times.text(finding.lastAt))"
        }
        var lines = [head] + wrapped(finding.detail, "  ", "  ")
        lines += evidence(finding.steps, times)
        lines += wrapped(finding.expected, "  expected: ", "    ")
        if let harm = finding.rule.harm { lines += wrapped(harm, "  harm: ", "    ") }
        lines += wrapped(finding.rule.source, "  source: ", "    ")
        if let cause = finding.cause { lines += wrapped(cause, "  likely cause: ", "    ") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A paragraph about what could not be decided.
    static func paragraph(_ duty: UndecidedDuty, _ times: FindingTimes = .relative) -> String {
        var head = "undecided \(duty.rule.id)"
        if let number = duty.number { head += "  \(number)" }
        head += "  \(times.text(duty.at))"
        head += "  \(duty.rule.blames) \(ListLine.clean(duty.client))"
        if !duty.topic.isEmpty { head += "  \(ListLine.clean(duty.topic))" }
        var lines = [head] + wrapped(waiting(duty), "  ", "  ")
        lines += evidence(duty.steps, times)
        lines += wrapped(duty.expected, "  expected: ", "    ")
        return lines.joined(separator: "\n") + "\n"
    }

    /// What was waited for, and how long.
    static func waiting(_ duty: UndecidedDuty) -> String {
        let patience = duty.deadlineNanoseconds.map {
            duty.waitedNanoseconds > $0
                ? ", and the \(duty.rule.blames) was silent or gone"
                : ", and \(TimeSpan.text($0)) are allowed"
        }
        return "\(duty.detail) \(ended(after: duty.waitedNanoseconds))\(patience ?? "")."
    }

    /// That the recording ended so many nanoseconds after the wait began.
    private static func ended(after waited: Int64) -> String {
        "The recording ended \(TimeSpan.text(waited)) after the last step"
    }

    /// The lines about the steps of the evidence.
    private static func evidence(_ steps: [FindingStep], _ times: FindingTimes) -> [String] {
        var lines: [String] = []
        let clocks = times.clocks(steps.map(\.at))
        let names = steps.map(row)
        let (clock, name) = (
            clocks.map(\.count).max() ?? 0, names.map(\.count).max() ?? 0
        )
        for (index, step) in steps.enumerated() {
            let blanks = String(repeating: " ", count: clock - clocks[index].count)
            let start =
                "    \(blanks)\(clocks[index])  "
                + (name > 0 ? "\(ListLine.pad(names[index], name))  " : "")
            lines += wrapped(step.detail, start, String(repeating: " ", count: start.count))
            if !step.quote.isEmpty {
                // Quotes stay on one line, so that they can be copied.
                lines.append(
                    String(repeating: " ", count: start.count) + ListLine.clean(step.quote))
            }
        }
        return lines
    }

    /// The row that a step is about, with the number that `tapedeck show` takes.
    static func row(_ step: FindingStep) -> String {
        if let command = step.command { return "command c\(command)" }
        if let exchange = step.exchange { return "exchange \(exchange)" }
        if let message = step.message { return "message m\(message)" }
        return ""
    }

    /// The lines about findings of a rule after the first one, which has said what is expected.
    static func repeats(_ findings: [Finding], _ times: FindingTimes = .relative) -> String {
        guard let rule = findings.first?.rule else { return "" }
        let count = Summary.count(Int64(findings.count), "more finding")
        var lines = ["  \(count) of \(rule.id):"]
        for finding in findings {
            var start = "    " + (finding.number.map { "\($0)  " } ?? "")
            start += "\(times.text(finding.at))  \(ListLine.clean(finding.client))"
            if let step = finding.steps.last.map(row), !step.isEmpty { start += "  \(step)" }
            if finding.times > 1 { start += "  \(finding.times) times" }
            lines += wrapped(finding.detail, start + ": ", "      ")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// One line, as it is printed while a session is recorded.
    static func line(_ finding: Finding, hasColour: Bool = StandardOutput.hasColour) -> String {
        let step = finding.steps.last.map(row) ?? ""
        return paint(finding.severity.rawValue, finding.severity, hasColour)
            + " \(finding.rule.id)"
            + "  \(TimeSpan.clock(finding.at.nanoseconds)) s"
            + "  \(finding.rule.blames) \(ListLine.clean(finding.client))"
            + (step.isEmpty ? "" : "  \(step)") + ": \(ListLine.clean(finding.detail))"
    }

    /// The lines about what a row shows.
    static func lines(_ findings: [FindingDetail]) -> [String] {
        findings.flatMap { detail in
            let row = detail.row
            return [
                "  finding \(row.severity.rawValue) \(ListLine.clean(row.rule)): "
                    + ListLine.clean(row.detail),
                "    expected: \(ListLine.clean(row.expected))",
            ]
        }
    }

    /// The lines about what was waited for since a row.
    static func lines(_ undecided: [UndecidedDetail]) -> [String] {
        undecided.flatMap { detail in
            let row = detail.row
            return [
                "  undecided \(ListLine.clean(row.rule)): \(ListLine.clean(row.detail)) "
                    + ended(after: row.waitedNanoseconds) + ".",
                "    expected: \(ListLine.clean(row.expected))",
            ]
        }
    }

    /// `3 findings: 1 error, 2 warnings, 0 infos`.
    static func summary(_ findings: [Finding]) -> String {
        let counts = FindingRow.Severity.allCases.map { severity in
            let count = findings.count { $0.severity == severity }
            return "\(count) \(severity.rawValue)\(count == 1 ? "" : "s")"
        }
        return "\(findings.count) finding\(findings.count == 1 ? "" : "s"): "
            + counts.joined(separator: ", ")
    }

    /// `no rule was broken; 2 could not be decided`.
    static func summary(_ findings: [Finding], undecided: [UndecidedDuty]) -> String {
        (findings.isEmpty ? "no rule was broken" : summary(findings))
            + (undecided.isEmpty ? "" : "; \(undecided.count) could not be decided")
    }

    // MARK: Lines

    /// Text broken into lines between words; what a peer sent cannot steer a terminal.
    static func wrapped(_ text: String, _ first: String, _ next: String) -> [String] {
        var lines: [String] = []
        var line = first
        var isEmpty = true
        for word in ListLine.clean(text).split(separator: " ") {
            if !isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = next
                isEmpty = true
            }
            line += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        if !isEmpty { lines.append(line) }
        return lines
    }

    private static func paint(
        _ text: String, _ severity: FindingRow.Severity, _ hasColour: Bool
    ) -> String {
        guard hasColour else { return text }
        let colour =
            switch severity {
            case .error: 31
            case .warning: 33
            case .info: 36
            }
        return "\u{1B}[\(colour)m\(text)\u{1B}[0m"
    }
}
