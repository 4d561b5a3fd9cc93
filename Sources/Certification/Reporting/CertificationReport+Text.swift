internal import Diagnosis

extension CertificationReport {
    /// The report for a terminal.
    ///
    /// - Parameter hasColour: Whether verdicts are coloured.
    /// - Returns: Lines: what failed with its evidence, what was not exercised with the reason, and
    ///   what passed.
    public func text(hasColour: Bool = false) -> String {
        var output = ""
        for result in results(.failed) { output += Self.failed(result, hasColour) }
        for result in results(.notExercised) {
            output += Self.word("not exercised", "33", hasColour) + "  \(result.case.id)\n"
            output += "    \(result.reason)\n"
        }
        for result in results(.passed) {
            let shown = result.evidence.first
            let row = shown?.row.map { ", \($0)" } ?? ""
            output += Self.word("passed", "32", hasColour) + "  \(result.case.id)  "
            output += "(\(shown?.scenario ?? "")\(row))\n"
        }
        for scenario in played where scenario.problem != nil {
            output += "the scenario \(scenario.scenario.id) could not be played: "
            output += "\(scenario.problem ?? "")\n"
        }
        return output + "\(summary), in \(played.count) scenarios, \(Self.duration(seconds))\n"
    }

    private static func failed(_ result: CaseResult, _ hasColour: Bool) -> String {
        var output = word("failed", "31", hasColour) + "  \(result.case.id)\n"
        output += "    \(result.case.title)\n"
        for breach in result.breaches.prefix(3) {
            let finding = breach.finding
            let times = finding.times > 1 ? " (\(finding.times) times)" : ""
            output += "    \(finding.detail)\(times)\n"
            for step in finding.steps.suffix(4) {
                let row = step.row.map { "\($0): " } ?? ""
                output += "      \(row)\(step.detail)"
                output += step.quote.isEmpty ? "\n" : "  \(step.quote)\n"
            }
            output += "    expected: \(finding.expected)\n"
            if let cause = finding.cause { output += "    likely cause: \(cause)\n" }
            output += "    in \(breach.scenario), \(breach.trace)\n"
        }
        if result.breaches.count > 3 {
            output += "    and \(result.breaches.count - 3) more\n"
        }
        return output + "    source: \(result.case.rule.source)\n"
    }

    private static func word(_ word: String, _ colour: String, _ hasColour: Bool) -> String {
        hasColour ? "\u{1B}[\(colour)m\(word)\u{1B}[0m" : word
    }
}
