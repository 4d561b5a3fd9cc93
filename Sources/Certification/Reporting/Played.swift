public import Diagnosis

/// The outcome of a scenario.
public struct Played: Sendable {
    /// An expected event, and what was seen of it.
    public struct Seen: Hashable, Sendable {
        /// The expected event.
        public let expectation: ExpectedEvent
        /// The number seen; seconds for a duration.
        public let count: Int
        /// The first row that shows it, whose last word `tapedeck show` takes; nil where there is
        /// none.
        public let row: String?

        /// Whether that is enough.
        public let isThere: Bool
    }

    /// The scenario.
    public let scenario: Scenario
    /// File of the trace.
    public let trace: String
    /// The duration, in seconds.
    public let seconds: Double
    /// The observations of the expected events of each situation, by its name.
    public let seen: [String: [Seen]]
    /// The findings about the client.
    public let findings: [Finding]
    /// How the client ended, as text.
    public let ending: String
    /// Why it could not be played; nil where it was.
    public let problem: String?
    /// Whether the client connected at all.
    public let hasTraffic: Bool

    /// A scenario that was played.
    public init(
        _ scenario: Scenario, trace: String, seconds: Double, seen: [String: [Seen]],
        findings: [Finding], ending: String, hasTraffic: Bool, problem: String? = nil
    ) {
        self.hasTraffic = hasTraffic
        self.scenario = scenario
        self.trace = trace
        self.seconds = seconds
        self.seen = seen
        self.findings = findings
        self.ending = ending
        self.problem = problem
    }
}
