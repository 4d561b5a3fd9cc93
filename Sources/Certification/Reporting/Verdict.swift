/// What came of a case.
public enum Verdict: String, Hashable, Sendable, CaseIterable {
    /// The client broke the rule.
    case failed
    /// The client came where the rule can be broken, and did not break it.
    case passed
    /// The client never came there.
    case notExercised = "not exercised"
}
