/// A situation of a scenario, and the rules that can be broken in it.
public struct Situation: Hashable, Sendable {
    /// Name within the scenario.
    public let id: String
    /// The events that have to be seen so that the rules count as exercised; all of them.
    public let expectations: [ExpectedEvent]
    /// Identifiers of rules, or beginnings of them with a star at the end.
    public let rules: [String]
    /// Those of them that need more than this situation.
    public let exceptions: [String]
    /// Whether some conforming clients are never in it, so that nothing is missing without it.
    public let isOptional: Bool

    /// A situation that is there when all `expectations` are seen.
    public init(
        _ id: String, expectations: [ExpectedEvent], rules: [String],
        except exceptions: [String] = [], isOptional: Bool = false
    ) {
        self.isOptional = isOptional
        self.exceptions = exceptions
        self.id = id
        self.expectations = expectations
        self.rules = rules
    }

    /// Whether the situation is one for this rule.
    public func looks(at rule: String) -> Bool {
        rules.contains { Self.matches($0, rule) } && !exceptions.contains(rule)
    }

    /// Whether `pattern`, with a star at its end or without, means `id`.
    static func matches(_ pattern: String, _ id: String) -> Bool {
        pattern.hasSuffix("*") ? id.hasPrefix(pattern.dropLast()) : id == pattern
    }
}
