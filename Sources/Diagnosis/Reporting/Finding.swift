internal import Dissection
public import Wire

/// A broken rule, with the evidence.
public struct Finding: Hashable, Sendable {
    /// Its number; nil while more findings of the session may come.
    public var number: FindingNumber?
    /// The rule.
    public var rule: Rule
    /// Its severity; the rule's own unless the circumstances reduce it.
    public var severity: FindingRow.Severity
    /// When the rule was broken.
    public var at: Instant
    /// The connection, if one.
    public var connection: ConnectionID?
    /// The client it is about: a device or client id, or an address.
    public var client: String
    /// Its topic within the client, such as a bucket and key or an instanceID.
    public var topic: String
    /// What happened, one or more sentences.
    public var detail: String
    /// What should have been sent instead.
    public var expected: String
    /// The likely cause in the peer's code; nil where none is known.
    public var cause: String?
    /// The evidence, in order of time; at least one step, the breach itself last.
    public var steps: [FindingStep]
    /// The number of occurrences; above 1 where the rule joins breaches.
    public var times = 1
    /// When it happened last.
    public var lastAt: Instant
    /// Rules whose findings of the same client and topic are part of this one.
    public var absorbs: Set<String> = []

    /// A finding.
    ///
    /// - Parameters:
    ///   - rule: The rule.
    ///   - connection: The connection, if one.
    ///   - client: The client it is about.
    ///   - topic: Its topic within the client.
    ///   - detail: What happened.
    ///   - expected: What should have been sent; default: what the rule expects.
    ///   - cause: The likely cause; default: the rule's.
    ///   - severity: The rule's unless given.
    ///   - steps: The evidence, the breach itself last.
    public init(
        _ rule: Rule, connection: ConnectionID?, client: String, topic: String = "",
        detail: String, expected: String? = nil, cause: String? = nil,
        severity: FindingRow.Severity? = nil, steps: [FindingStep]
    ) {
        self.rule = rule
        self.severity = severity ?? rule.severity
        self.connection = connection
        self.client = client
        self.topic = topic
        self.detail = detail
        self.expected = expected ?? rule.expects
        self.cause = cause ?? rule.cause
        self.steps = steps
        at = steps.last?.at ?? .zero
        lastAt = at
    }

    /// The row of the trace, which points at the breach itself.
    public var row: FindingRow {
        let place = steps.last { $0.place != nil }?.place
        return FindingRow(
            at: at, rule: rule.id, severity: severity, chunk: place?.chunk,
            offset: place?.offset ?? 0, detail: detail + (times > 1 ? " (\(times) times)" : ""),
            expected: expected)
    }
}
