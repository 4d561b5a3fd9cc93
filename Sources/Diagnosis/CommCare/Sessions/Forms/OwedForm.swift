import Dissection
import Wire

/// A form that the client still owes the server, since its last try failed for a reason that may
/// pass.
struct OwedForm: Sendable {
    /// The last try.
    let row: ExchangeRow
    /// How that ended.
    let reply: CommCareReply
    /// The first other form that was accepted since.
    var other: CommCareReply?
    /// The first sync after that.
    var sync: ExchangeRow?

    /// When the client knew that the try had failed.
    var failedAt: Instant { reply.row.endedAt ?? reply.at }

    /// Whether the failure says nothing about this form, so that it is due with the next of them.
    var isOfAnyForm: Bool {
        switch reply.status {
        case 0, 200, 408, 429, 503: true
        default: false
        }
    }

    /// How the last try ended, in words.
    var end: String {
        switch reply.status {
        case 0: "had no answer"
        case 200: "was answered 200 without an OpenRosaResponse"
        default: "was answered with \(reply.status)"
        }
    }

    /// The rows that show it.
    var steps: [FindingStep] { [row.requestStep("the form"), reply.step(end)] }
}
