import Dissection
import OpenRosa
import Wire

/// What became of a form, whoever sent it.
struct FormOutcome: Sendable {
    let first: ExchangeRow
    let instanceID: String
    let digest: CommCareDigest
    let content: CommCareDigest
    /// Names of all files that came with it.
    var files: Set<String>
    /// The last answer by which it was taken, as the client knows.
    var accepted: CommCareReply?
    /// Whether the request that was taken was marked as one of several.
    var wasIncomplete = false
    /// The 422 after which it is not to be sent again.
    var refused: CommCareReply?
    /// Whether the server may have it.
    var mayBeStored = false
    /// The last try that has ended.
    var last: CommCareReply?
    /// The first try whose answer the client did not get.
    var lost: CommCareReply?
    /// Tries in a row that were refused with the same status.
    var refusals = 0
    var steps: [FindingStep] = []
}
