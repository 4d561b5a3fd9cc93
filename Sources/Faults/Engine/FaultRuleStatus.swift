/// A rule of a running session, and what came of it so far.
public struct FaultRuleStatus: Hashable, Sendable {
    /// The rule.
    public let rule: FaultRule
    /// Whether it is not asked for now.
    public let isPaused: Bool
    /// Whether it is in the plan, rather than added while traffic ran.
    public let isPlanned: Bool
    /// Events that its filter held for, whatever the schedule said.
    public let matched: Int64
    /// Events that it hit.
    public let fired: Int64
    /// Scopes whose counts were forgotten since there were too many: they begin again at 1.
    public let forgotten: Int64
}
