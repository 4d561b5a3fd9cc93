import Dissection
import OpenRosa
import Wire

/// The outcome of a form, regardless of the sender.
struct FormOutcome: Sendable {
    let first: ExchangeRow
    let instanceID: String
    let digest: CommCareDigest
    let content: CommCareDigest
    /// Names of all files that were sent with it.
    var files: Set<String>
    /// The last answer that accepted it, as received by the client.
    var accepted: CommCareReply?
    /// Whether the accepted request was marked as one of several.
    var wasIncomplete = false
    /// The 422 after which it is not to be sent again.
    var refused: CommCareReply?
    /// Whether the server may have it.
    var mayBeStored = false
    /// The last try that has ended.
    var last: CommCareReply?
    /// The first try whose answer the client did not receive.
    var lost: CommCareReply?
    /// Whether any of its requests was marked as one of several.
    var isInParts = false
    /// Tries in a row that were refused with the same status.
    var refusals = 0
    var steps: [FindingStep] = []
}
