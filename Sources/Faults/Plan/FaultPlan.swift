/// Rules that break the traffic on purpose; `Faults.md` tells how they are written.
public struct FaultPlan: Hashable, Sendable {
    /// Most rules of a plan.
    public static let maximumRules = 10_000
    /// Longest text of a plan, in bytes.
    public static let maximumSize = 4 << 20

    /// The rules, in the order in which they are asked and carried out; no two of one name.
    public let rules: [FaultRule]
    /// Where all chance comes from, if the plan says so.
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
