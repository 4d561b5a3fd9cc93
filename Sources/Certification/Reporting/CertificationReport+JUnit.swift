internal import Diagnosis
internal import Reports

extension CertificationReport {
    /// The report as JUnit's XML: a test for each case, skipped where it was not exercised.
    public var junit: String {
        let cases = results.map { result in
            let outcome: JUnitReport.Outcome =
                switch result.verdict {
                case .passed: .passed()
                case .failed: .failed(message: result.reason, detail: Self.detail(result))
                case .notExercised: .skipped(message: result.reason)
                }
            return JUnitReport.Case(
                group: "certify.\(suite.name.rawValue)", name: result.case.id, outcome)
        }
        return JUnitReport(suites: [
            JUnitReport.Suite(
                name: "certify \(suite.name.rawValue)", seconds: seconds, cases: cases)
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
