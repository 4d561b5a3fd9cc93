public import Diagnosis

/// One rule, and the situations in which it is checked.
public struct Case: Hashable, Sendable, Identifiable {
    /// A situation of a scenario in which the rule can be broken.
    public struct Exercise: Hashable, Sendable {
        /// The scenario.
        public let scenario: String
        /// The situation.
        public let situation: Situation
    }

    /// The rule.
    public let rule: Rule
    /// The situations in which it is checked; in order of the scenarios.
    public let exercises: [Exercise]
    /// Why no scenario exercises the rule; nil where one does.
    public let reason: String?

    /// The identifier, which is that of the rule.
    public var id: String { rule.id }
    /// What is checked.
    public var title: String { rule.title }
}
