package import Diagnosis
internal import Wire

/// What became of a client that was tested with a reproduction.
package struct RetestResult: Sendable {
    /// The verdict.
    package enum Verdict: String, Hashable, Sendable, CaseIterable {
        /// The rule held, and the client was where it can be broken.
        case held
        /// The client broke the rule again.
        case broken
        /// What leads to the bug never happened.
        case notReached = "not reached"
        /// The session ended before it could be decided.
        case undecided
        /// The rule held, but the client left other data behind than the steps ask for.
        case endDiffers = "end differs"
        /// The client never connected.
        case unreachable
    }

    /// A part of the trigger that was not seen, or not often enough.
    package struct Missing: Hashable, Sendable {
        /// What was to be seen.
        package var trigger: Trigger
        /// How often it was.
        package var seen: Int

        /// In words.
        package var text: String {
            trigger.count > 1 ? "\(trigger.detail) (\(seen) of \(trigger.count))" : trigger.detail
        }
    }

    /// An object that is not on the server as the steps leave it behind, or a form that it did not
    /// accept.
    package struct Difference: Hashable, Sendable {
        /// Its key, or the name of the form's file.
        package var key: String
        /// How it differs, in words.
        package var text: String
    }

    /// The reproduction.
    package var reproduction: Reproduction
    /// The findings of its rule.
    package var findings: [Finding]
    /// Rules of other findings about the client, each once, sorted.
    package var otherRules: [String]
    /// What of the trigger was not seen.
    package var missing: [Missing]
    /// What could not be decided of the rule.
    package var undecided: [String]
    /// How the end differs from what the steps ask for.
    package var differences: [Difference]
    /// Whether the client sent anything.
    package var hasTraffic: Bool
    /// How the client ended.
    package var ending: String
    /// The duration in seconds.
    package var seconds: Double
    /// File of the trace.
    package var trace: String

    /// The verdict: the worst that applies.
    package var verdict: Verdict {
        if !hasTraffic { return .unreachable }
        if !findings.isEmpty { return .broken }
        if !missing.isEmpty { return .notReached }
        if !undecided.isEmpty { return .undecided }
        return differences.isEmpty ? .held : .endDiffers
    }

    /// The verdict in a sentence.
    package var summary: String {
        let rule = reproduction.rule
        return switch verdict {
        case .held: "the rule \(rule) held, and its trigger was reached"
        case .broken: "the client broke \(rule) again"
        case .notReached:
            "the client did not reach the trigger of \(rule): missing: "
                + missing.map(\.text).joined(separator: "; ")
        case .undecided:
            "it could not be decided whether the client keeps \(rule): "
                + undecided.joined(separator: "; ")
        case .endDiffers:
            "the rule \(rule) held, but the client left something else behind: "
                + differences.map(\.text).joined(separator: "; ")
        case .unreachable:
            "the client never connected; it has to connect to TAPEDECK_URL, see client.log"
        }
    }
}
