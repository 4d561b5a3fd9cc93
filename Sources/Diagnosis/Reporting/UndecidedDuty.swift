internal import Dissection
public import Wire

/// What a peer had to do and had not done when the recording ended, before its time was up.
///
/// No finding: it may have been done a moment later.
public struct UndecidedDuty: Hashable, Sendable {
    /// Its number; nil while the session goes on.
    public var number: FindingNumber?
    /// The rule that would have been broken.
    public var rule: Rule
    /// The connection, if one.
    public var connection: ConnectionID?
    /// The client it is about: a device or client id, or an address.
    public var client: String
    /// Its topic within the client, such as a bucket and key or an instanceID.
    public var topic: String
    /// That it was not seen, in a sentence.
    public var detail: String
    /// How long it may wait, in nanoseconds; nil where only conduct decides.
    public var deadlineNanoseconds: Int64?
    /// What was waited for.
    public var expected: String
    /// The evidence, in order of time, that which the wait began with last.
    public var steps: [FindingStep]
    /// When the wait began.
    public var at: Instant
    /// How long it had lasted when the recording ended, in nanoseconds.
    public var waitedNanoseconds: Int64

    /// The duty that `finding` would be about if it had not been fulfilled in time.
    ///
    /// - Parameters:
    ///   - finding: The finding as if the time was up when the recording ended.
    ///   - end: When the recording ended.
    ///   - patience: The deadlines.
    init(_ finding: Finding, endedAt end: Instant, _ patience: Patience) {
        rule = finding.rule
        detail = Duty.of(finding.rule)?.undecided ?? finding.rule.title
        deadlineNanoseconds = finding.rule.deadlineNanoseconds.map { _ in
            patience.deadline(of: finding.rule)
        }
        connection = finding.connection
        client = finding.client
        topic = finding.topic
        expected = finding.expected
        // The last step may be that nothing came.
        let steps = finding.steps.filter { $0.at < end }
        self.steps = steps.isEmpty ? finding.steps : steps
        at = self.steps.last?.at ?? finding.at
        waitedNanoseconds = max(0, end.nanoseconds - at.nanoseconds)
    }

    /// The finding there would be had the time been up, for what takes findings.
    public var finding: Finding {
        var finding = Finding(
            rule, connection: connection, client: client, topic: topic, detail: detail,
            expected: expected, steps: steps)
        finding.number = number
        return finding
    }

    /// The row for the trace, without the place of the evidence.
    public var row: UndecidedRow {
        UndecidedRow(
            at: at, rule: rule.id, waitedNanoseconds: waitedNanoseconds, chunk: nil, offset: 0,
            detail: detail, expected: expected)
    }

    /// Whether both are about the same.
    func isSame(as other: UndecidedDuty) -> Bool {
        rule.id == other.rule.id && client == other.client && topic == other.topic
    }
}
