/// The verdict of a case.
public enum Verdict: String, Hashable, Sendable, CaseIterable {
    /// The client broke the rule.
    case failed
    /// The client was in a situation in which the rule can be broken, and did not break it.
    case passed
    /// The client was never in such a situation.
    case notExercised = "not exercised"
}
