import Faults
import Notation
import Serving
import Wire

extension ControlService {
    /// All rules.
    func rules() -> Answer {
        Answer(body: Self.list("rules", session.rules.map(\.json)))
    }

    /// The counts only.
    func counts() -> Answer {
        let rules = session.rules
        let counts = rules.map { status in
            JSONValue.object([
                ("name", .string(status.rule.name)), ("matched", .integer(status.matched)),
                ("fired", .integer(status.fired)), ("failed", .integer(status.failed)),
            ])
        }
        let unmatched = rules.filter { $0.matched == 0 }.map { JSONValue.string($0.rule.name) }
        return Answer(
            body: .object([
                ("rules", .array(counts)),
                ("matched", .integer(rules.reduce(0) { $0 + $1.matched })),
                ("fired", .integer(rules.reduce(0) { $0 + $1.fired })),
                ("failed", .integer(rules.reduce(0) { $0 + $1.failed })),
                ("unmatched", .array(unmatched)),
            ]))
    }

    /// The rule of this name with its counts.
    func status(of name: String) throws(ServedProblem) -> FaultRuleStatus {
        guard let status = session.rules.first(where: { $0.rule.name == name }) else {
            throw ServedProblem(FaultSessionError.noRule(name, nearest: []))
        }
        return status
    }

    /// Adds a rule; without a name it gets a free one.
    func add(_ question: Question) throws(ServedProblem) -> Answer {
        let taken = Set(session.rules.map(\.rule.name))
        var number = taken.count + 1
        while taken.contains("rule-\(number)") { number += 1 }
        let rule = try rule(question, named: "rule-\(number)")
        try edit { () throws(FaultSessionError) in try session.add(rule) }
        return Answer(
            status: 201, body: try status(of: rule.name).json,
            location: "/v1/rules/\(PercentEncoding.encode(rule.name))")
    }

    /// Replaces the rule that the path names.
    func change(_ question: Question) throws(ServedProblem) -> Answer {
        let rule = try rule(question, named: question.name)
        guard rule.name == question.name else {
            throw ServedProblem(
                422, "other-name",
                "the path names \"\(question.name)\" and the rule \"\(rule.name)\"",
                hint: "leave the name out of the rule; a rule cannot be renamed")
        }
        return try edited(rule.name) { _ throws(FaultSessionError) in try session.change(rule) }
    }

    /// Changes a rule and returns its new state.
    func edited(
        _ name: String, _ change: (String) throws(FaultSessionError) -> Void
    ) throws(ServedProblem) -> Answer {
        try edit { () throws(FaultSessionError) in try change(name) }
        return Answer(body: try status(of: name).json)
    }

    /// Changes all rules and returns their new state.
    func edit(_ change: () throws(FaultSessionError) -> Void) throws(ServedProblem) {
        do throws(FaultSessionError) {
            try change()
        } catch {
            throw ServedProblem(error)
        }
    }

    /// The rule in a body: one line of text, that line as `rule`, or the rule as plans have it.
    private func rule(
        _ question: Question, named name: String
    ) throws(ServedProblem) -> FaultRule {
        if question.isText {
            let text = String(decoding: question.body, as: UTF8.self)
            let line = text.last?.isNewline == true ? String(text.dropLast()) : text
            return try parse { () throws(FaultPlanError) in
                try FaultRule.parse(line, named: name, recordings: session.recordings)
            }
        }
        let value = try RequestFields.value(question.body)
        guard case .object(let object) = value else {
            throw ServedProblem(
                400, "bad-json", "the body has to be a JSON object",
                hint: "send {\"rule\": \"FILTER => ACTION\"}, or filter, action and schedule")
        }
        if object["rule"] != nil {
            let line = try RequestFields(question.body, allowed: ["rule"]).text("rule")
            return try parse { () throws(FaultPlanError) in
                try FaultRule.parse(line, named: name, recordings: session.recordings)
            }
        }
        // JSON's surrogate pairs are not YAML; encoding the value again removes them.
        let text = value.text(.compact)
        return try parse { () throws(FaultPlanError) in
            try FaultRule.parse(yaml: text, named: name, recordings: session.recordings)
        }
    }

    private func parse(
        _ read: () throws(FaultPlanError) -> FaultRule
    ) throws(ServedProblem) -> FaultRule {
        do throws(FaultPlanError) {
            return try read()
        } catch {
            throw ServedProblem(error)
        }
    }
}

extension FaultRuleStatus {
    /// The rule with its counts, as JSON.
    var json: JSONValue {
        .object([
            ("name", .string(rule.name)), ("rule", .string(rule.description)),
            ("filter", .string(rule.condition.text)),
            ("action", .string(rule.action.description)),
            ("schedule", .string(rule.schedule.description)),
            ("phase", .string("\(rule.phase)")),
            ("per", .string(rule.extent.rawValue)),
            ("state", .string(isPaused ? "paused" : "active")), ("planned", .bool(isPlanned)),
            ("matched", .integer(matched)), ("fired", .integer(fired)),
            ("failed", .integer(failed)), ("forgotten", .integer(forgotten)),
        ])
    }
}
