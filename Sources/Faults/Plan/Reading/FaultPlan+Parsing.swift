extension FaultPlan {
    /// Reads a plan in YAML, of which JSON is a part; an empty text is a plan without rules.
    ///
    /// - Parameters:
    ///   - text: The plan.
    ///   - recordings: Opens the traces that rules answer from; nil leaves them closed.
    /// - Returns: The plan.
    /// - Throws: ``FaultPlanError``, with the place of the mistake.
    public static func parse(
        yaml text: String, recordings: RecordingSource? = nil
    ) throws(FaultPlanError) -> FaultPlan {
        try PlanReader(text, recordings).plan()
    }

    /// The plan with a rule of one line appended: `FILTER => ACTION key=value ...`.
    ///
    /// - Parameters:
    ///   - line: The rule.
    ///   - recordings: Opens the trace that it answers from; nil leaves it closed.
    /// - Returns: The plan.
    /// - Throws: ``FaultPlanError``, with the place of the mistake in `line`.
    public func adding(
        line: String, recordings: RecordingSource? = nil
    ) throws(FaultPlanError) -> FaultPlan {
        let text = PlacedText(line)
        guard rules.count < Self.maximumRules else {
            throw FaultPlanError(.tooManyRules, text.place)
        }
        let added = try PlanReader.rules(
            [try RuleReader.line(text)], after: rules, recordings)
        return FaultPlan(rules: rules + added, seed: seed)
    }

    /// The plan with the rules of another appended, and its seed where this one has none.
    ///
    /// Of rules that have one name, the other plan's gets a number: `name-2`.
    public func adding(_ other: FaultPlan) -> FaultPlan {
        var names = Set(rules.map(\.name))
        var all = rules
        for rule in other.rules {
            var name = rule.name
            var number = 2
            while !names.insert(name).inserted {
                name = "\(rule.name)-\(number)"
                number += 1
            }
            all.append(rule.named(name))
        }
        return FaultPlan(rules: all, seed: seed ?? other.seed)
    }
}

extension FaultRule {
    /// Reads a rule of one line: `FILTER => ACTION key=value ...`.
    ///
    /// - Parameters:
    ///   - line: The rule.
    ///   - name: Its name where it has none.
    ///   - recordings: Opens the trace that it answers from; nil leaves it closed.
    /// - Returns: The rule.
    /// - Throws: ``FaultPlanError``, with the place of the mistake.
    public static func parse(
        _ line: String, named name: String = "rule-1", recordings: RecordingSource? = nil
    ) throws(FaultPlanError) -> FaultRule {
        try RuleReader.line(PlacedText(line)).rule(named: name, recordings)
    }

    /// Reads a rule in YAML or JSON, as it is written in the list of a plan.
    ///
    /// - Parameters:
    ///   - text: A mapping, or a text that is a rule of one line.
    ///   - name: Its name where it has none.
    ///   - recordings: Opens the trace that it answers from; nil leaves it closed.
    /// - Returns: The rule.
    /// - Throws: ``FaultPlanError``, with the place of the mistake.
    public static func parse(
        yaml text: String, named name: String = "rule-1", recordings: RecordingSource? = nil
    ) throws(FaultPlanError) -> FaultRule {
        try PlanReader(text, recordings).rule(named: name)
    }

    /// The rule with another name, and so with different random draws.
    public func named(_ name: String) -> FaultRule {
        FaultRule(name: name, condition: condition, action: action, schedule: schedule)
    }
}

extension FaultAction {
    /// Reads an action as it is written after the arrow of a rule of one line:
    /// `error 440 as=string`.
    ///
    /// - Throws: ``FaultPlanError``, with the place of the mistake.
    public static func parse(_ text: String) throws(FaultPlanError) -> FaultAction {
        let parts = try RuleReader.action(PlacedText(text))
        return try ActionReader.read(parts.kind, parts.arguments)
    }
}
