public import Wire

/// Says which rules the peers of one session broke.
///
/// A value without I/O, clock or randomness: the same evidence in the same order gives the same
/// findings. What Tapedeck did to the traffic is never held against a peer.
///
///     var diagnosis = Diagnosis()
///     for evidence in session { diagnosis.observe(evidence) }
///     diagnosis.finish(at: end, isRunning: false)
///     for finding in diagnosis.findings { print(finding.says) }
public struct Diagnosis: Sendable {
    private var session = SessionView()
    private var checks = Rules.checks()
    private var report = Report(groups: Rules.groups)
    private var now = Instant.zero

    /// Begins with a session of which nothing is known.
    public init() {}

    /// Takes what happened next.
    public mutating func observe(_ evidence: Evidence) {
        advance(to: evidence.at)
        session.take(evidence)
        for index in checks.indices { checks[index].observe(evidence, session, &report) }
    }

    /// Takes a finding that a lane made.
    mutating func add(_ finding: Finding) { report.add(finding) }

    /// Lets time pass without anything happening.
    public mutating func advance(to instant: Instant) {
        guard instant > now else { return }
        now = instant
        for index in checks.indices { checks[index].advance(to: instant, session, &report) }
    }

    /// Ends the session.
    ///
    /// - Parameters:
    ///   - instant: Up to when it was seen.
    ///   - isRunning: Whether it goes on, so that what has not happened may still happen.
    public mutating func finish(at instant: Instant, isRunning: Bool) {
        advance(to: instant)
        for index in checks.indices {
            checks[index].finish(at: now, isRunning: isRunning, session, &report)
        }
    }

    /// The findings made since the last call, in the order in which they were made.
    public mutating func takeNew() -> [Finding] { report.takeNew() }

    /// All findings so far, the worst first, those of one severity in order of time.
    public var findings: [Finding] { report.findings }

    /// How many findings of each rule were left out because there were too many.
    public var leftOut: [String: Int] { report.leftOut }
}
