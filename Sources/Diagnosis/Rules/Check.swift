import Wire

/// A family of rules and the state they follow.
///
/// A value: the same evidence in the same order gives the same findings. Memory is bounded for any
/// input.
protocol Check: Sendable {
    /// Takes the next evidence.
    ///
    /// - Parameters:
    ///   - evidence: The next evidence.
    ///   - session: The state of connections, this evidence included.
    ///   - report: Receives the findings.
    mutating func observe(
        _ evidence: borrowing Evidence, _ session: borrowing SessionView, _ report: inout Report)

    /// Time has passed up to `now`, which is the time of the next evidence or later than all.
    mutating func advance(
        to now: Instant, _ session: borrowing SessionView, _ report: inout Report)

    /// The session is over, or read up to now.
    ///
    /// - Parameters:
    ///   - now: The end of what was recorded.
    ///   - isRunning: Whether it is still running: missing events may still come.
    ///   - session: The state of connections.
    ///   - report: Receives the findings.
    mutating func finish(
        at now: Instant, isRunning: Bool, _ session: borrowing SessionView,
        _ report: inout Report)

    /// The findings there would be if the time of everything that is waited for had been up at `end`.
    ///
    /// - Parameters:
    ///   - end: When the recording ended, after ``finish(at:isRunning:_:_:)``.
    ///   - session: The state of connections.
    ///   - report: Receives them.
    func undecided(
        at end: Instant, _ session: borrowing SessionView, _ report: inout Report)
}

extension Check {
    mutating func advance(
        to now: Instant, _ session: borrowing SessionView, _ report: inout Report
    ) {}

    mutating func finish(
        at now: Instant, isRunning: Bool, _ session: borrowing SessionView,
        _ report: inout Report
    ) {}

    func undecided(
        at end: Instant, _ session: borrowing SessionView, _ report: inout Report
    ) {}

    /// The same, of which ``Diagnosis/undecided`` is made.
    func undecided(
        at end: Instant, _ session: borrowing SessionView
    ) -> [Finding] {
        var report = Report.gathering()
        undecided(at: end, session, &report)
        return report.takeGathered()
    }
}
