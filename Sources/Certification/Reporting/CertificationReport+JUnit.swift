internal import Diagnosis
internal import Notation

extension CertificationReport {
    /// The report as JUnit's XML: a test for each case, skipped where it was not exercised.
    public var junit: String {
        let skipped = results(.notExercised).count
        var output = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
        output += "  <testsuite name=\"certify \(suite.name.rawValue)\" tests=\"\(results.count)\" "
        output += "failures=\"\(results(.failed).count)\" errors=\"0\" skipped=\"\(skipped)\" "
        output += "time=\"\((seconds * 1_000).rounded() / 1_000)\">\n"
        for result in results {
            let name = Markup.escaped(result.case.id)
            output += "    <testcase classname=\"certify.\(suite.name.rawValue)\" name=\"\(name)\""
            switch result.verdict {
            case .passed: output += "/>\n"
            case .failed:
                output += "><failure message=\"\(Markup.escaped(result.reason))\">"
                output += Markup.escaped(Self.detail(result)) + "</failure></testcase>\n"
            case .notExercised:
                output += "><skipped message=\"\(Markup.escaped(result.reason))\"/></testcase>\n"
            }
        }
        return output + "  </testsuite>\n</testsuites>\n"
    }

    private static func detail(_ result: CaseResult) -> String {
        result.breaches.map { breach in
            let steps = breach.finding.steps.map { step in
                "\(step.row.map { "\($0): " } ?? "")\(step.says) \(step.quote)"
            }
            return
                ([breach.finding.says, "expected: \(breach.finding.expected)"] + steps + [
                    "in \(breach.scenario), \(breach.trace)"
                ]).joined(separator: "\n")
        }.joined(separator: "\n\n")
    }
}
