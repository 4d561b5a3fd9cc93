internal import Diagnosis
internal import Reports

extension CertificationReport {
    /// The report as JUnit's XML: a test for each scenario and for each case, skipped where it was
    /// not exercised, and failed where a scenario that was played names it nevertheless.
    public var junit: String {
        let cases = results.map { result in
            let outcome: JUnitReport.Outcome =
                switch result.verdict {
                case .passed: .passed()
                case .failed: .failed(message: result.reason, detail: Self.detail(result))
                case .notExercised:
                    result.isRequired
                        ? .failed(message: "not exercised: \(result.reason)", detail: result.reason)
                        : .skipped(message: result.reason)
                }
            return JUnitReport.Case(
                group: "certify.\(suite.name.rawValue)", name: result.case.id, outcome)
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
