/// A rule of a running session with its counts so far.
public struct FaultRuleStatus: Hashable, Sendable {
    /// The rule.
    public let rule: FaultRule
    /// Whether it is paused.
    public let isPaused: Bool
    /// Whether it is in the plan, rather than added while traffic ran.
    public let isPlanned: Bool
    /// Events that its filter matched, whatever the schedule decided.
    public let matched: Int64
    /// Events that it was carried out on.
    public let fired: Int64
    /// Events that its schedule selected, and that it could not be carried out on.
    public let failed: Int64
    /// Scopes whose counts were dropped since there were too many: they begin again at 1.
    public let forgotten: Int64
}
