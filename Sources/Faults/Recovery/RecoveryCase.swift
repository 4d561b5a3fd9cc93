import Wire

/// A fault that is being judged.
struct RecoveryCase {
    /// The fault.
    let fault: JudgedFault
    /// What was done.
    let action: FaultAction?
    /// What is declared to show a recovery from it.
    let declared: ActionRecovery
    /// What is counted as trying, and how often that had happened before.
    var attempt: RecoveryEvent?
    var attemptsBefore = 0
    /// The time that the client had to wait, in seconds, where an answer gave one.
    var retryAfter: String?
    /// When the client first tried again.
    var firstTry: Instant?
    /// The least version of an object that shows that the client has it.
    var version: Int64?
    /// Whether the message itself shows it, when it comes late or twice.
    var ownCounts = false
    /// The verdict so far.
    var verdict: FaultVerdict?
    /// Whether nothing can change the verdict any more.
    var isSettled = false

    init(_ fault: JudgedFault) {
        self.fault = fault
        let action = FaultAction.recorded(fault.row.action)
        self.action = action
        declared = action?.kind.specification.recovery ?? ActionRecovery()
    }
}
