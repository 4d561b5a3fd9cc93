/// Stands in for the reader of YAML, which is not fuzzed: it reads no plans.
struct PlanReader {
    init(_ text: String, _ recordings: RecordingSource? = nil) throws(FaultPlanError) {
        throw FaultPlanError(
            .notYAML("not here"), PlanPlace(line: 1, column: 1, text: "", range: 0..<0))
    }

    func plan() throws(FaultPlanError) -> FaultPlan { FaultPlan() }

    func rule(named fallback: String) throws(FaultPlanError) -> FaultRule {
        throw FaultPlanError(
            .expected("a rule"), PlanPlace(line: 1, column: 1, text: "", range: 0..<0))
    }

    /// The rules, which have names of their own here.
    static func rules(
        _ readers: [RuleReader], after taken: [FaultRule] = [], _ recordings: RecordingSource?
    ) throws(FaultPlanError) -> [FaultRule] {
        var rules: [FaultRule] = []
        for reader in readers { rules.append(try reader.rule(named: "rule-\(taken.count + 1)")) }
        return rules
    }
}
