public import Diagnosis
internal import Wire

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

    /// Why a scenario is not passed.
    public struct Failure: Hashable, Sendable {
        /// What is wrong.
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            /// The client did not do a step.
            case notDone = "not done"
            /// The server, or a second client, has something else than the script asks for.
            case stateDiffers = "state differs"
            /// The server refused what the client sent, and no fault was about it.
            case refused
            /// The client did not recover from a fault.
            case notRecovered = "not recovered"
        }

        /// What is wrong.
        public let kind: Kind
        /// The same as a sentence without its full stop.
        public let detail: String

        /// A failure.
        public init(_ kind: Kind, _ detail: String) {
            self.kind = kind
            self.detail = detail
        }
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
    /// Identifiers of the rules that could not be decided when the session ended.
    public let undecided: Set<String>
    /// Why it is not passed, what was not done first; empty where it is.
    public let failures: [Failure]
    /// How the client ended, as text.
    public let ending: String
    /// Why it could not be played; nil where it was.
    public let problem: String?
    /// Whether the client connected at all.
    public let hasTraffic: Bool

    /// Whether it was played, and the client did what it asks for.
    public var isPassed: Bool { failures.isEmpty && problem == nil }

    /// Whether the client did not do a step.
    public var isUndone: Bool { failures.contains { $0.kind == .notDone } }

    /// What became of it, in a line: that it was passed, or what is wrong first of all.
    ///
    /// - Parameter isStrict: Whether findings of severity info count.
    /// - Returns: Text that continues the name of the scenario.
    public func outcome(isStrict: Bool) -> String {
        if let problem { return "could not be played: \(problem)" }
        if let first = failures.first {
            let verdict = isUndone ? "not done" : "failed"
            let more = failures.count > 1 ? " (and \(failures.count - 1) more)" : ""
            return "\(verdict): \(first.detail)\(more)"
        }
        let broken = Set(findings.filter { isStrict || $0.severity != .info }.map(\.rule.id))
        return broken.isEmpty
            ? "passed" : "failed: the client broke \(broken.sorted().joined(separator: ", "))"
    }

    /// A scenario that was played.
    public init(
        _ scenario: Scenario, trace: String, seconds: Double, seen: [String: [Seen]],
        findings: [Finding] = [], undecided: Set<String> = [], failures: [Failure] = [],
        ending: String, hasTraffic: Bool, problem: String? = nil
    ) {
        self.hasTraffic = hasTraffic
        self.scenario = scenario
        self.trace = trace
        self.seconds = seconds
        self.seen = seen
        self.findings = findings
        self.undecided = undecided
        self.failures = failures
        self.ending = ending
        self.problem = problem
    }
}
