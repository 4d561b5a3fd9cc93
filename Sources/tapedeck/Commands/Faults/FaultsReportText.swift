import Faults
import Notation
import Reports
import Sessions
import Trace
import Wire

/// What `faults report` prints.
enum FaultsReportText {
    /// A table as text.
    static func table(_ judgement: FaultJudgement) -> String {
        var lines: [String] = []
        for session in judgement.sessions {
            let seed = session.detail.seed.map { ", seed \($0)" } ?? ""
            lines.append("session \(session.detail.id)\(seed)")
            lines += Self.lines(session.faults).map { "  \($0)" }
            for rule in session.unmatched {
                lines.append("  rule \(ListLine.clean(rule)) matched nothing")
            }
        }
        lines.append(summary(judgement))
        return lines.joined(separator: "\n") + "\n"
    }

    /// `3 faults: 2 recovered, 1 not recovered, 0 undecided`, how many are not judged, and
    /// `; 1 more could not be done` where some could not.
    static func summary(_ judgement: FaultJudgement) -> String {
        let failures = judgement.failures
        let count = judgement.sessions.reduce(0) { $0 + $1.faults.count } - failures
        return "\(count) fault\(count == 1 ? "" : "s"): \(judgement.count(.recovered)) recovered, "
            + "\(judgement.count(.notRecovered)) not recovered, "
            + "\(judgement.count(.undecided)) undecided"
            + (judgement.unjudged > 0 ? ", \(judgement.unjudged) not judged" : "")
            + (failures == 0 ? "" : "; \(failures) more could not be done")
    }

    /// The cells of the table.
    static func rows(_ faults: [FaultDetail]) -> (head: [String], body: [[String]]) {
        let body = faults.map { detail in
            [
                ListLine.clean(detail.row.rule), TimeSpan.clock(detail.row.at.nanoseconds),
                FaultText.hit(detail), ListLine.clean(detail.row.action),
                detail.row.isDone ? detail.verdict.map(FaultText.title) ?? "-" : "not done",
                detail.row.problem.map(ListLine.clean) ?? how(detail.verdict),
            ]
        }
        return (["RULE", "WHEN", "WHAT", "ACTION", "VERDICT", "HOW"], body)
    }

    private static func lines(_ faults: [FaultDetail]) -> [String] {
        let (head, body) = rows(faults)
        let table = [head] + body
        let widths = (0..<6).map { column in
            min(40, table.map { $0[column].count }.max() ?? 0)
        }
        return table.map { row in
            zip(row, widths).enumerated().map { column, cell in
                column == 5
                    ? cell.0
                    : cell.0 + String(repeating: " ", count: max(0, cell.1 - cell.0.count))
            }.joined(separator: "  ")
        }
    }

    private static func how(_ verdict: FaultVerdictRow?) -> String {
        guard let verdict else { return "" }
        var facts: [String] = []
        if let after = verdict.afterNanoseconds { facts.append("after \(TimeSpan.text(after))") }
        if verdict.tries > 0, verdict.verdict == FaultVerdict.Outcome.recovered.rawValue {
            facts.append(verdict.tries == 1 ? "1 try" : "\(verdict.tries) tries")
        }
        return ListLine.clean(verdict.how)
            + (facts.isEmpty ? "" : " (\(facts.joined(separator: ", ")))")
    }

    /// One object.
    static func json(_ judgement: FaultJudgement) -> String {
        var object = JSONObjectText()
        for outcome in FaultVerdict.Outcome.allCases {
            object.add(outcome.rawValue, Int64(judgement.count(outcome)))
        }
        object.add("not-judged", Int64(judgement.unjudged))
        object.add("not-done", Int64(judgement.failures))
        let sessions = judgement.sessions.map { session in
            var item = JSONObjectText()
            item.add("id", session.detail.id.rawValue)
            item.add("seed", session.detail.seed.map { String($0) })
            item.add("faults", raw: list(session.faults.map { JSONLine.fault($0) }))
            item.add("unmatched", raw: list(session.unmatched.map(JSONString.quoted)))
            return item.text
        }
        object.add("sessions", raw: list(sessions))
        return object.text + "\n"
    }

    private static func list(_ items: [String]) -> String { "[\(items.joined(separator: ","))]" }

    /// JUnit's XML: a test case for every fault of every rule, named by its rule, its action and its
    /// number among them, so that the next run has the same; undecided ones, those that are not
    /// judged or could not be done, and rules that matched nothing are skipped.
    static func junit(_ judgement: FaultJudgement) -> String {
        JUnitReport(
            suites: judgement.sessions.map { session in
                var ordinals: [String: Int] = [:]
                let seed = session.detail.seed.map { String($0) }
                return JUnitReport.Suite(
                    name: "session \(session.detail.id)",
                    cases: session.faults.map { detail in
                        let name = "\(detail.row.rule) \(detail.row.action)"
                        ordinals[name, default: 0] += 1
                        return testCase(detail, ordinals[name] ?? 1, seed: seed)
                    }
                        + session.unmatched.map { rule in
                            JUnitReport.Case(
                                group: rule, name: rule, seconds: "0",
                                .skipped(message: "the rule matched nothing"))
                        },
                    properties: seed.map { [("seed", $0)] } ?? [])
            }
        ).text
    }

    private static func testCase(
        _ detail: FaultDetail, _ ordinal: Int, seed: String?
    ) -> JUnitReport.Case {
        let row = detail.row
        let how = detail.verdict?.how ?? ""
        let outcome: JUnitReport.Outcome =
            switch detail.verdict?.verdict {
            case FaultVerdict.Outcome.notRecovered.rawValue:
                .failed(message: "not recovered: \(how)")
            case FaultVerdict.Outcome.recovered.rawValue: .passed(output: how)
            case nil:
                .skipped(message: row.problem.map { "not done: \($0)" } ?? "not judged")
            default: .skipped(message: "undecided: \(how)")
            }
        var properties = [
            ("fault", "\(detail.id)"), ("rule", row.rule), ("evidence", FaultText.hit(detail)),
            ("at", "\(TimeSpan.clock(row.at.nanoseconds)) s"),
        ]
        if let seed { properties.append(("seed", seed)) }
        return JUnitReport.Case(
            group: row.rule, name: "\(row.action) #\(ordinal)",
            seconds: TimeSpan.clock(max(0, detail.verdict?.afterNanoseconds ?? 0)), outcome,
            properties: properties)
    }
}
