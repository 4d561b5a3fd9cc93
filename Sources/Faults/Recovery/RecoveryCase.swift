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
    /// The `ccid`s of a change that was refused.
    var ccids: [String] = []
    /// The edit that an answer claimed the server has, though the server did not receive it.
    var edit: SoughtEdit?
    /// Whether the object was shown to the client without that edit.
    var isShownWithout = false
    /// The client.
    var client: ClientName?
    /// The edit of the client's change that did not arrive, or whose answer did not.
    var unanswered: SoughtEdit?
    /// Why the client may do nothing for some time.
    var patience = RecoveryPatience.none
    /// Whether there is anything to recover from.
    var isJudged = true
    /// The verdict so far.
    var verdict: FaultVerdict?
    /// Whether nothing can change the verdict any more.
    var isSettled = false

    /// Whether a message arrives as it was sent, though late, twice or in another order.
    var arrives: Bool { declared.ownMessageCounts }

    /// Whether the very message is what the client waits for.
    var isShownByItself: Bool { arrives && fault.row.sender != .client }

    /// Whether it was done to a connection that remains, so that any answer shows a recovery.
    var waitsForAnything: Bool {
        fault.exchange == nil && fault.message == nil && !declared.isByReconnection
    }

    /// Whether a change was refused for want of permission, so that a new token is needed.
    var needsToken: Bool { action?.kind == .error && action?.integer("code") == 401 }

    init(_ fault: JudgedFault) {
        self.fault = fault
        let action = FaultAction.recorded(fault.row.action)
        self.action = action
        declared = action?.kind.specification.recovery ?? ActionRecovery()
    }
}
