public import Wire

/// Finds which rules the peers of one session broke.
///
/// A value without I/O, clock or randomness: the same evidence in the same order gives the same
/// findings. What Tapedeck did to the traffic is never a finding.
///
///     var diagnosis = Diagnosis()
///     for evidence in session { diagnosis.observe(evidence) }
///     diagnosis.finish(at: end, isRunning: false)
///     for finding in diagnosis.findings { print(finding.detail) }
public struct Diagnosis: Sendable {
    private var session = SessionView()
    private var checks: [any Check]
    private let patience: Patience
    private var report = Report(groups: Rules.groups)
    private var now = Instant.zero
    /// What could not be decided since the recording ended, in order of time.
    public private(set) var undecided: [UndecidedDuty] = []

    /// Begins with an unknown session.
    ///
    /// - Parameter patienceNanoseconds: How long each duty may wait, in nanoseconds; nil for the
    ///   deadlines of the rules.
    public init(patienceNanoseconds: Int64? = nil) {
        patience = Patience(nanoseconds: patienceNanoseconds)
        checks = Rules.checks(patience)
    }

    /// Takes the next evidence.
    public mutating func observe(_ evidence: Evidence) {
        advance(to: evidence.at)
        session.take(evidence)
        for index in checks.indices { checks[index].observe(evidence, session, &report) }
    }

    /// Takes a finding that a lane made.
    mutating func add(_ finding: Finding) { report.add(finding) }

    /// What `finding` would be about if it had not been done in time.
    func undecided(_ finding: Finding, endedAt end: Instant) -> UndecidedDuty {
        UndecidedDuty(finding, endedAt: end, patience)
    }

    /// Takes what could not be decided, each once, unless the rule was found broken there.
    mutating func leaveUndecided(_ duties: [UndecidedDuty]) {
        let broken = report.findings
        for duty in duties where !undecided.contains(where: duty.isSame) {
            let isKnown = broken.contains {
                $0.rule.id == duty.rule.id && $0.client == duty.client && $0.topic == duty.topic
            }
            if !isKnown, undecided.count < Report.maxOfRule { undecided.append(duty) }
        }
        undecided.sort { ($0.at, $0.rule.id, $0.topic) < ($1.at, $1.rule.id, $1.topic) }
    }

    /// Advances the time without evidence.
    public mutating func advance(to instant: Instant) {
        guard instant > now else { return }
        now = instant
        for index in checks.indices { checks[index].advance(to: instant, session, &report) }
    }

    /// Ends the session.
    ///
    /// - Parameters:
    ///   - instant: The end of what was recorded.
    ///   - isRunning: Whether it is still running, so that missing events may still come.
    public mutating func finish(at instant: Instant, isRunning: Bool) {
        advance(to: instant)
        for index in checks.indices {
            checks[index].finish(at: now, isRunning: isRunning, session, &report)
        }
        guard !isRunning else { return }
        leaveUndecided(
            checks.flatMap { $0.undecided(at: now, session) }.map { undecided($0, endedAt: now) })
    }

    /// The findings made since the last call, in the order in which they were made.
    public mutating func takeNew() -> [Finding] { report.takeNew().map(session.withCauses) }

    /// All findings so far, the worst first, those of one severity in order of time.
    public var findings: [Finding] { report.findings.map(session.withCauses) }

    /// The number of findings of each rule that were left out because there were too many.
    public var leftOut: [String: Int] { report.leftOut }
}
