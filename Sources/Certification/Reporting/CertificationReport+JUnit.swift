internal import Diagnosis
internal import Reports
internal import Wire

extension CertificationReport {
    /// The report as JUnit's XML: a test for each scenario and for each case, skipped where it was
    /// not exercised, and failed where a scenario that was played names it nevertheless.
    public var junit: String {
        let cases = sections.flatMap(\.results).map { result in
            let outcome: JUnitReport.Outcome =
                switch result.verdict {
                case .passed: .passed()
                case .failed:
                    .failed(
                        message: result.reason, type: result.severity.rawValue,
                        detail: Self.detail(result))
                case .notExercised:
                    result.isRequired
                        ? .failed(message: "not exercised: \(result.reason)", detail: result.reason)
                        : .skipped(message: result.reason)
                }
            return JUnitReport.Case(
                group: group(of: result), name: result.case.id, outcome,
                properties: [("rule", result.case.rule.id)])
        }
        let scenarios = played.map { scenario in
            let lines = (scenario.problem.map { [$0] } ?? []) + scenario.failures.map(\.detail)
            return JUnitReport.Case(
                group: "certify.\(suite.name.rawValue).scenarios", name: scenario.scenario.id,
                lines.isEmpty
                    ? .passed()
                    : .failed(
                        message: lines[0],
                        detail: (lines + ["in \(scenario.trace)"]).joined(separator: "\n")))
        }
        return JUnitReport(suites: [
            JUnitReport.Suite(
                name: "certify \(suite.name.rawValue) scenarios", seconds: seconds,
                cases: scenarios),
            JUnitReport.Suite(
                name: "certify \(suite.name.rawValue)", seconds: seconds, cases: cases),
        ]).text
    }

    /// The suite and the topic of a case: `certify.simperium.change`, `certify.simperium.http`.
    private func group(of result: CaseResult) -> String {
        let suite = suite.name.rawValue
        let topic = RuleTopic(of: result.case.rule).id
        return "certify." + (topic.hasPrefix("\(suite).") ? topic : "\(suite).\(topic)")
    }

    private static func detail(_ result: CaseResult) -> String {
        result.breaches.map { breach in
            let steps = breach.finding.steps.map { step in
                "\(step.row.map { "\($0): " } ?? "")\(step.detail) \(step.quote)"
            }
            return
                ([breach.finding.detail, "expected: \(breach.finding.expected)"] + steps + [
                    "in \(breach.scenario), \(breach.trace)"
                ]).joined(separator: "\n")
        }.joined(separator: "\n\n")
    }
}
