internal import Diagnosis

extension CertificationReport {
    /// The report for a terminal.
    ///
    /// - Parameter hasColour: Whether verdicts are coloured.
    /// - Returns: Lines: what was not done, then what failed with its evidence, what was not
    ///   exercised with the reason, and how much passed.
    public func text(hasColour: Bool = false) -> String {
        var output = ""
        for scenario in played {
            if let problem = scenario.problem {
                output += "the scenario \(scenario.scenario.id) could not be played: \(problem)\n"
            }
        }
        let isUndone = { (scenario: Played) in
            scenario.failures.contains { $0.kind == .notDone }
        }
        for scenario in played where isUndone(scenario) {
            output += Self.failed(scenario, "not done", hasColour)
        }
        for scenario in played where !scenario.failures.isEmpty && !isUndone(scenario) {
            output += Self.failed(scenario, "failed", hasColour)
        }
        for result in results(.failed) { output += Self.failed(result, hasColour) }
        for result in missed + results(.notExercised).filter({ !$0.isRequired }) {
            output += Self.word("not exercised", "33", hasColour) + "  \(result.case.id)\n"
            output += "    \(result.reason)\n"
        }
        let passed = results(.passed).count
        if passed > 0 {
            output += Self.word("passed", "32", hasColour)
            output += "  \(passed) case\(passed == 1 ? "" : "s")\n"
        }
        return output + "\(summary), in \(Self.duration(seconds))\n"
    }

    private static func failed(_ played: Played, _ verdict: String, _ hasColour: Bool) -> String {
        var output = word(verdict, "31", hasColour) + "  scenario \(played.scenario.id): "
        output += "\(played.scenario.title)\n"
        for failure in played.failures.prefix(12) {
            let kind = failure.kind == .notRecovered ? "not recovered: " : ""
            output += "    \(kind)\(failure.detail)\n"
        }
        if played.failures.count > 12 {
            output += "    and \(played.failures.count - 12) more\n"
        }
        return output + "    in \(played.trace)\n"
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
