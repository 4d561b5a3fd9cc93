import Diagnosis
import Notation
import Trace
import Wire

/// Findings as JSON, an object for each.
enum FindingJSON {
    /// An object on one line.
    static func line(_ finding: Finding, session: SessionID) -> String {
        var object = JSONObjectText()
        object.add("number", finding.number?.description)
        object.add("rule", finding.rule.id)
        object.add("severity", finding.severity.rawValue)
        object.add("session", session.rawValue)
        object.add("at", finding.at.nanoseconds)
        object.add("last_at", finding.lastAt.nanoseconds)
        object.add("times", Int64(finding.times))
        object.add("blames", finding.rule.blames.description)
        object.add("client", finding.client)
        object.add("topic", finding.topic)
        object.add("connection", finding.connection?.rawValue)
        object.add("message", finding.detail)
        object.add("expected", finding.expected)
        object.add("harm", finding.rule.harm)
        object.add("source", finding.rule.source)
        object.add("cause", finding.cause)
        object.add("evidence", raw: "[\(finding.steps.map(step).joined(separator: ","))]")
        object.add("fingerprint", FindingBaseline.fingerprint(finding))
        return object.text
    }

    /// An object on one line about what could not be decided.
    static func line(_ duty: UndecidedDuty, session: SessionID) -> String {
        var object = JSONObjectText()
        object.add("kind", "undecided")
        object.add("number", duty.number?.description)
        object.add("rule", duty.rule.id)
        object.add("session", session.rawValue)
        object.add("at", duty.at.nanoseconds)
        object.add("waited_ns", duty.waitedNanoseconds)
        object.add("deadline_ns", duty.deadlineNanoseconds)
        object.add("blames", duty.rule.blames.description)
        object.add("client", duty.client)
        object.add("topic", duty.topic)
        object.add("connection", duty.connection?.rawValue)
        object.add("message", duty.detail)
        object.add("expected", duty.expected)
        object.add("source", duty.rule.source)
        object.add("evidence", raw: "[\(duty.steps.map(step).joined(separator: ","))]")
        return object.text
    }

    /// A finding as it is stored.
    static func stored(_ detail: FindingDetail) -> String {
        var object = JSONObjectText()
        object.add("id", detail.id)
        object.add("rule", detail.row.rule)
        object.add("severity", detail.row.severity.rawValue)
        object.add("at_ns", detail.row.at.nanoseconds)
        object.add("message", detail.row.detail)
        object.add("expected", detail.row.expected)
        return object.text
    }

    /// What could not be decided, as it is stored.
    static func stored(_ detail: UndecidedDetail) -> String {
        var object = JSONObjectText()
        object.add("id", detail.id)
        object.add("rule", detail.row.rule)
        object.add("at_ns", detail.row.at.nanoseconds)
        object.add("waited_ns", detail.row.waitedNanoseconds)
        object.add("message", detail.row.detail)
        object.add("expected", detail.row.expected)
        return object.text
    }

    private static func step(_ step: FindingStep) -> String {
        var object = JSONObjectText()
        object.add("at", step.at.nanoseconds)
        object.add("exchange", step.exchange?.rawValue)
        object.add("command", step.command?.rawValue)
        object.add("message", step.message?.rawValue)
        object.add("detail", step.detail)
        object.add("quote", step.quote)
        return object.text
    }
}
