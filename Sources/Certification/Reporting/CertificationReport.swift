/// The outcome of a suite.
public struct CertificationReport: Sendable {
    /// The suite, or the part of it that was played.
    public let suite: Suite
    /// The outcome of each case, in their order, and then of those that fail without being chosen.
    public let results: [CaseResult]
    /// The outcome of each scenario, in their order.
    public let played: [Played]
    /// Name of the client under test.
    public let client: String
    /// The date, as text.
    public let date: String
    /// Version of the program.
    public let version: String
    /// The duration, in seconds.
    public let seconds: Double
    /// Whether findings of severity info count.
    public let isStrict: Bool

    /// Judges what was played.
    public init(
        _ suite: Suite, _ played: [Played], client: String, date: String, version: String,
        seconds: Double, isStrict: Bool
    ) {
        self.suite = suite
        self.played = played
        self.client = client
        self.date = date
        self.version = version
        self.seconds = seconds
        self.isStrict = isStrict
        func judge(_ one: Case) -> CaseResult { CaseResult(one, played, isStrict: isStrict) }
        results =
            suite.cases.map(judge) + suite.watched.map(judge).filter { $0.verdict == .failed }
    }

    /// The results with this verdict, in order.
    public func results(_ verdict: Verdict) -> [CaseResult] {
        results.filter { $0.verdict == verdict }
    }

    /// The scenarios that the client did not pass, in order.
    public var failedScenarios: [Played] { played.filter { !$0.isPassed } }

    /// The cases that were not exercised though a scenario that was played names them.
    public var missed: [CaseResult] { results(.notExercised).filter(\.isRequired) }

    /// Whether no rule was broken, every scenario was passed, and every case that these name was
    /// exercised.
    public var isPassed: Bool {
        results(.failed).isEmpty && failedScenarios.isEmpty && missed.isEmpty
    }

    /// Whether the client connected at all.
    public var hasClient: Bool { played.contains { $0.hasTraffic } }

    /// What was not done, what failed, and the number of scenarios and of cases by verdict, a line
    /// each.
    ///
    /// Names scenarios and cases, of many the first.
    public var summaryLines: [String] {
        let unplayed = played.filter { $0.problem != nil }.map(\.scenario.id)
        let undone = played.filter { $0.problem == nil && $0.isUndone }.map(\.scenario.id)
        let failed = failedScenarios.filter { $0.problem == nil && !$0.isUndone }
        let names: [(String, [String])] = [
            ("not played", unplayed), ("not done", undone),
            ("failed", failed.map(\.scenario.id) + results(.failed).map(\.case.id)),
            ("not exercised", missed.map(\.case.id)),
        ]
        return names.compactMap { what, names in
            guard !names.isEmpty else { return nil }
            let more = names.count > Self.named ? " and \(names.count - Self.named) more" : ""
            return "\(what): \(names.prefix(Self.named).joined(separator: ", "))\(more)"
        } + [counts]
    }

    /// The maximum number of names in a line of the summary.
    private static let named = 8

    /// The same in one line.
    public var summary: String { summaryLines.joined(separator: "; ") }

    /// The number of scenarios and of cases by verdict, as text.
    private var counts: String {
        let count = results.count
        let failed = failedScenarios.count
        let scenarios = "\(played.count) scenario\(played.count == 1 ? "" : "s")"
        return "\(scenarios): \(played.count - failed) passed, \(failed) failed; "
            + "\(count) case\(count == 1 ? "" : "s"): \(results(.passed).count) passed, "
            + "\(results(.failed).count) failed, \(results(.notExercised).count) not exercised"
    }

    /// `1.5 s` or `2 min 5 s`.
    static func duration(_ seconds: Double) -> String {
        if seconds < 60 { return "\((seconds * 10).rounded() / 10) s" }
        return "\(Int(seconds) / 60) min \(Int(seconds) % 60) s"
    }
}
