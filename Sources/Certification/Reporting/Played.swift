public import Diagnosis

/// What came of a scenario.
public struct Played: Sendable {
    /// A sign, and what was seen of it.
    public struct Seen: Hashable, Sendable {
        /// The sign.
        public let expectation: ExpectedEvent
        /// How many there were; seconds where it is about time.
        public let count: Int
        /// The first thing that shows it, whose last word `tapedeck show` takes; nil where there is none.
        public let row: String?

        /// Whether that is enough.
        public let isThere: Bool
    }

    /// The scenario.
    public let scenario: Scenario
    /// File of the trace.
    public let trace: String
    /// How long it took, in seconds.
    public let seconds: Double
    /// What was seen of the signs of each situation, by its name.
    public let seen: [String: [Seen]]
    /// What the diagnosis found about the client.
    public let findings: [Finding]
    /// How the client ended, for people.
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
