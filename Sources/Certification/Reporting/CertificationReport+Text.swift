internal import Diagnosis
internal import Wire

extension CertificationReport {
    /// The report for a terminal.
    ///
    /// - Parameter hasColour: Whether verdicts are coloured.
    /// - Returns: Lines: what was not done, then what failed with its evidence, what was not
    ///   exercised with the reason, how much passed, and the summary.
    public func text(hasColour: Bool = false) -> String {
        var output = ""
        for scenario in played {
            if let problem = scenario.problem {
                output += "the scenario \(scenario.scenario.id) could not be played: \(problem)\n"
            }
        }
        for scenario in played where scenario.isUndone {
            output += Self.failed(scenario, "not done", hasColour)
        }
        for scenario in played where !scenario.failures.isEmpty && !scenario.isUndone {
            output += Self.failed(scenario, "failed", hasColour)
        }
        for section in sections {
            for result in section.results(.failed) { output += Self.failed(result, hasColour) }
        }
        output += missing(hasColour)
        let passed = results(.passed).count
        if passed > 0 {
            output += Self.word("passed", "32", hasColour)
            output += "  \(passed) case\(passed == 1 ? "" : "s")\n"
        }
        return output + summaryLines.joined(separator: "\n") + ", in \(Self.duration(seconds))\n"
    }

    /// What was not exercised: what a scenario names first, and cases of one topic with one reason
    /// together.
    private func missing(_ hasColour: Bool) -> String {
        var output = ""
        for isRequired in [true, false] {
            for section in sections {
                let cases = section.results(.notExercised).filter { $0.isRequired == isRequired }
                var reasons: [String] = []
                for one in cases where !reasons.contains(one.reason) { reasons.append(one.reason) }
                for reason in reasons {
                    let names = cases.filter { $0.reason == reason }.map(\.case.id)
                    output += Self.word("not exercised", "33", hasColour)
                    output += "  \(names.joined(separator: ", "))\n    \(reason)\n"
                }
            }
        }
        return output
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
        var output = word("failed", "31", hasColour) + "  \(result.case.id)"
        output += "  \(result.severity.rawValue)\n"
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
