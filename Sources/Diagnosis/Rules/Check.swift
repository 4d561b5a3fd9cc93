import Wire

/// A family of rules and the state they follow.
///
/// A value: the same evidence in the same order gives the same findings. Memory is bounded, whatever
/// peers send.
protocol Check: Sendable {
    /// Takes what happened next.
    ///
    /// - Parameters:
    ///   - evidence: What happened.
    ///   - session: What is known of connections, this evidence included.
    ///   - report: Gets the findings.
    mutating func observe(
        _ evidence: borrowing Evidence, _ session: borrowing SessionView, _ report: inout Report)

    /// Time has passed up to `now`, which is the moment of the next evidence or later than all.
    mutating func advance(
        to now: Instant, _ session: borrowing SessionView, _ report: inout Report)

    /// The session is over, or as far as it has come.
    ///
    /// - Parameters:
    ///   - now: Up to when it was seen.
    ///   - isRunning: Whether it goes on: what has not happened may still happen.
    ///   - session: What is known of connections.
    ///   - report: Gets the findings.
    mutating func finish(
        at now: Instant, isRunning: Bool, _ session: borrowing SessionView,
        _ report: inout Report)
}

extension Check {
    mutating func advance(
        to now: Instant, _ session: borrowing SessionView, _ report: inout Report
    ) {}

    mutating func finish(
        at now: Instant, isRunning: Bool, _ session: borrowing SessionView,
        _ report: inout Report
    ) {}
}
