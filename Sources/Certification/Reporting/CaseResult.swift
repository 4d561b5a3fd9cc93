public import Diagnosis
public import Wire

/// A case with its verdict and evidence.
public struct CaseResult: Sendable {
    /// A finding and where it was made.
    public struct Breach: Sendable {
        /// The scenario.
        public let scenario: String
        /// File of the trace.
        public let trace: String
        /// The finding.
        public let finding: Finding
    }

    /// The case.
    public let `case`: Case
    /// The verdict.
    public let verdict: Verdict
    /// The reason, in a sentence.
    public let reason: String
    /// How the client broke the rule.
    public let breaches: [Breach]
    /// The evidence that the client was in a situation in which the rule can be broken: scenario
    /// and row.
    public let evidence: [Evidence]
    /// Whether a scenario that was played leads every conforming client to the rule.
    public let isRequired: Bool

    /// The severity of the worst breach; of the rule where there is none.
    public var severity: FindingRow.Severity {
        let all = breaches.map(\.finding.severity)
        return [.error, .warning, .info].first { all.contains($0) } ?? self.case.rule.severity
    }

    /// Something that was seen.
    public struct Evidence: Hashable, Sendable {
        /// The scenario.
        public let scenario: String
        /// The observation.
        public let detail: String
        /// The row of the trace, whose last word `tapedeck show` takes; nil where there is none.
        public let row: String?
    }

    /// Judges a case by the scenarios that were played.
    ///
    /// The rule is checked in all scenarios that were played, not only in those of the case.
    ///
    /// - Parameters:
    ///   - one: The case.
    ///   - played: All that was played.
    ///   - isStrict: Whether findings of severity info count.
    public init(_ one: Case, _ played: [Played], isStrict: Bool) {
        self.case = one
        let scenarios = Set(played.map(\.scenario.id))
        isRequired = one.exercises.contains {
            !$0.situation.isOptional && scenarios.contains($0.scenario)
        }
        breaches = played.flatMap { scenario in
            scenario.findings.filter { finding in
                finding.rule.id == one.rule.id && (isStrict || finding.severity != .info)
            }.map {
                Breach(scenario: scenario.scenario.id, trace: scenario.trace, finding: $0)
            }
        }
        var shown: [Evidence] = []
        var missing: [String] = []
        for exercise in one.exercises {
            guard let scenario = played.first(where: { $0.scenario.id == exercise.scenario }) else {
                continue
            }
            if let problem = scenario.problem {
                missing.append("\(exercise.scenario): \(problem)")
                continue
            }
            let seen = scenario.seen[exercise.situation.id] ?? []
            if scenario.undecided.contains(one.rule.id) {
                missing.append(
                    "\(exercise.scenario): the session ended before it could be decided")
            } else if !seen.isEmpty, seen.allSatisfy(\.isThere) {
                shown += seen.map {
                    Evidence(
                        scenario: exercise.scenario, detail: $0.expectation.detail, row: $0.row)
                }
            } else if let first = seen.first(where: { !$0.isThere }) {
                let wanted = first.expectation.count
                let count = wanted > 1 ? " (\(first.count) of \(wanted))" : ""
                missing.append("\(exercise.scenario): missing: \(first.expectation.detail)\(count)")
            }
        }
        evidence = shown
        if let first = breaches.first {
            verdict = .failed
            let more = breaches.count > 1 ? " (and \(breaches.count - 1) more)" : ""
            reason = first.finding.detail + more
        } else if !shown.isEmpty {
            verdict = .passed
            let places = Set(shown.map(\.scenario)).count
            reason = places == 1 ? "" : "in \(places) scenarios"
        } else {
            verdict = .notExercised
            reason =
                one.reason
                ?? (missing.isEmpty
                    ? "its scenarios were not played" : missing.joined(separator: "; "))
        }
    }
}
