/// Rules that inject faults into traffic; `Faults.md` describes their syntax.
public struct FaultPlan: Hashable, Sendable {
    /// The maximum number of rules of a plan.
    public static let maximumRules = 10_000
    /// Longest text of a plan, in bytes.
    public static let maximumSize = 4 << 20

    /// The rules, in the order in which they are evaluated and carried out; names are unique.
    public let rules: [FaultRule]
    /// The random seed, if the plan has one.
    public let seed: UInt64?

    /// The plan without rules.
    public init() {
        rules = []
        seed = nil
    }

    /// A plan of these rules, whose names are known to be different.
    init(rules: [FaultRule], seed: UInt64?) {
        self.rules = rules
        self.seed = seed
    }
}
