public import Diagnosis
internal import Wire

/// The cases for the clients of one protocol.
public struct Suite: Sendable {
    /// The protocols there is a suite for.
    public enum Name: String, Hashable, Sendable, CaseIterable {
        /// CommCare devices.
        case commcare
        /// Simperium clients.
        case simperium
    }

    /// The protocol.
    public let name: Name
    /// The scenarios in the order in which they are played.
    public let scenarios: [Scenario]
    /// A case for each rule about clients, sorted by identifier.
    public let cases: [Case]
    /// The cases that were not chosen, and fail nevertheless where a scenario that was chosen shows
    /// that the client broke their rules; sorted by identifier.
    public let watched: [Case]
    /// The application, or the project, that the client belongs to.
    public let app: String
    /// The bucket of the client's objects.
    public static let bucket = "notes"

    /// The suite of a protocol.
    ///
    /// - Parameters:
    ///   - name: The protocol.
    ///   - rules: The rules to choose from.
    public init(_ name: Name, rules: [Rule] = Rules.all) {
        self.init(
            name, rules: rules,
            scenarios: name == .simperium ? SimperiumScenarios.all : CommCareScenarios.all)
    }

    /// A suite of these scenarios.
    init(_ name: Name, rules: [Rule], scenarios: [Scenario]) {
        self.name = name
        self.scenarios = scenarios
        app = "certify"
        let areas: [String]
        let reasons: [(pattern: String, reason: String)]
        switch name {
        case .simperium:
            areas = ["simperium.", "websocket.", "http."]
            reasons = SimperiumScenarios.reasons
        case .commcare:
            areas = ["commcare.", "openrosa.", "http."]
            reasons = CommCareScenarios.reasons
        }
        watched = []
        cases = rules.filter { rule in
            rule.blames == .client && areas.contains { rule.id.hasPrefix($0) }
        }.sorted { $0.id < $1.id }.map { rule in
            let exercises = scenarios.flatMap { scenario in
                scenario.situations.filter { $0.looks(at: rule.id) }.map {
                    Case.Exercise(scenario: scenario.id, situation: $0)
                }
            }
            let known = reasons.first { Situation.matches($0.pattern, rule.id) }?.reason
            let reason =
                exercises.isEmpty ? known ?? "no scenario of the suite exercises this rule" : nil
            return Case(rule: rule, exercises: exercises, reason: reason)
        }
    }

    private init(_ suite: Suite, scenarios: [Scenario], cases: [Case], isWatching: Bool) {
        name = suite.name
        app = suite.app
        self.scenarios = scenarios
        self.cases = cases
        let chosen = Set(cases.map(\.id))
        watched =
            suite.watched + (isWatching ? suite.cases.filter { !chosen.contains($0.id) } : [])
    }

    /// The cases and scenarios with these identifiers, or beginnings of them with a star.
    ///
    /// A scenario stands for all of its cases, and for any rule that is broken in it; a case stands
    /// for the scenarios that it needs.
    ///
    /// - Returns: The part of the suite, and those of `patterns` that match nothing.
    public func chosen(_ patterns: [String]) -> (suite: Suite, unknown: [String]) {
        guard !patterns.isEmpty else { return (self, []) }
        var chosenCases: Set<String> = []
        var played: Set<String> = []
        var unknown: [String] = []
        var isWatching = false
        for pattern in patterns {
            let found = cases.filter { Situation.matches(pattern, $0.id) }
            let played = scenarios.filter { Situation.matches(pattern, $0.id) }.map(\.id)
            if found.isEmpty, played.isEmpty { unknown.append(pattern) }
            if !played.isEmpty { isWatching = true }
            chosenCases.formUnion(found.map(\.id))
            chosenCases.formUnion(
                cases.filter { $0.exercises.contains { played.contains($0.scenario) } }.map(\.id))
        }
        // A scenario alone is played once, without the others that exercise its cases.
        for pattern in patterns {
            let named = scenarios.filter { Situation.matches(pattern, $0.id) }.map(\.id)
            played.formUnion(named)
            for one in cases where Situation.matches(pattern, one.id) {
                played.formUnion(one.exercises.map(\.scenario))
            }
        }
        let suite = Suite(
            self, scenarios: scenarios.filter { played.contains($0.id) },
            cases: cases.filter { chosenCases.contains($0.id) }, isWatching: isWatching)
        return (suite, unknown)
    }

    /// The suite without the scenarios with these identifiers, or beginnings of them with a star;
    /// the cases stay that another scenario exercises, or none of the whole suite.
    ///
    /// - Returns: The rest of the suite, and those of `patterns` that match nothing.
    public func without(_ patterns: [String]) -> (suite: Suite, unknown: [String]) {
        func isLeftOut(_ id: String) -> Bool { patterns.contains { Situation.matches($0, id) } }
        let unknown = patterns.filter { pattern in
            !scenarios.contains { Situation.matches(pattern, $0.id) }
        }
        let rest = Suite(
            self, scenarios: scenarios.filter { !isLeftOut($0.id) },
            cases: cases.filter { one in
                one.exercises.isEmpty || one.exercises.contains { !isLeftOut($0.scenario) }
            }, isWatching: true)
        return (rest, unknown)
    }
}
