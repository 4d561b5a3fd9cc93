import Dissection
import Notation
import OpenRosa
import Wire

/// The state of one user on one device.
struct CommCarePerson: Sendable {
    /// A sync token that the server issued.
    struct Issued: Sendable {
        let token: String
        let row: ExchangeRow
        /// The latest time at which a client has stored it.
        let settledAt: Instant
        /// Whether the restore that issued it, as the device received it, is not well-formed.
        var isBroken = false
    }

    /// A breach that later traffic confirms or excuses.
    struct Doubt: Sendable {
        /// The token that the client should have used.
        let token: String
        let finding: Finding
        /// Whether it is about a sync, which only later traffic can judge.
        let isSync: Bool
    }

    /// A restore that is being prepared.
    struct Polling: Sendable {
        let since: String?
        let firstAt: Instant
        var last: CommCareReply
        var polls = 1
        var done: Int?
        /// Answers in a row that showed no progress.
        var standing = 0
        var steps: [FindingStep]
        var isReported = false
    }

    /// A 412 that was not followed by a full restore yet.
    struct Refused: Sendable {
        let row: ExchangeRow
        let at: Instant
        let detail: String?
        /// Whether the refused request was a full one.
        let wasFull: Bool
        var isReported = false
    }

    /// A 412 to an incremental sync whose reason is in what the client sent.
    struct Explained: Sendable {
        let row: ExchangeRow
        /// `the device lacks case a`.
        let reason: String
    }

    /// A form whose last try failed for a reason that may pass.
    struct FailedForm: Sendable {
        /// That try.
        let row: ExchangeRow
        /// Seconds of its `Retry-After`.
        let retryAfter: Int?
        /// The first other form that was accepted since.
        var other: ExchangeRow?
        /// The first sync after that.
        var sync: ExchangeRow?
        /// Forms that were sent for the first time since, long after it.
        var later: [ExchangeRow] = []
        /// Whether the device may have lost its queue: it requested everything anew.
        var isExcused = false
        /// Whether the server refused it with an error that a success code hides: a client that keeps
        /// it shows that to the user, and need not send it again.
        var isDisguised = false
        /// Whether the failure says nothing about this form, so that it is due with the next of them.
        var isOfAnyForm: Bool { [nil, 200, 408, 429, 503].contains(row.status) }
        /// `was answered with 503`, `had no answer`.
        var how: String {
            guard let status = row.status else { return "had no answer" }
            if isDisguised { return "was answered with \(status) and submit_error" }
            return "was answered with \(status)" + (status == 200 ? " and no OpenRosaResponse" : "")
        }
        /// When the client knew that it failed.
        var at: Instant { row.endedAt ?? row.startedAt }
    }

    /// The last failed request of a kind.
    struct Failure: Sendable {
        let ask: CommCareAsk
        let reply: CommCareReply
        /// The number of identical requests with the same outcome, from 1.
        var times = 1
        /// The steps of the first tries.
        var steps: [FindingStep]
    }

    /// Refusals of one kind of request because of load, in a row.
    struct Lane: Sendable {
        var last: CommCareReply
        var gap: Int64?
        var steps: [FindingStep]
        var count = 1
    }

    /// The token that the device certainly has, if one was seen.
    var current: Issued?
    /// Whether the client has shown that it has it.
    var hasUsedCurrent = false
    /// Whether the device has taken the last restore that it requested.
    var hasTakenLast = false
    /// Full restores in a row that it did not need, and their steps.
    var needlessFulls = 0
    var needlessSteps: [FindingStep] = []
    /// A submission that was cut off, so that its form is not known.
    var cutForm: ExchangeRow?
    /// A state hash that lacks cases which the device should have, until the answer is known.
    var lacking: (exchange: ExchangeID, finding: Finding)?
    /// Tokens that were replaced.
    var replaced: [String: Issued] = [:]
    /// Tokens that the device may have: the restore did not certainly arrive, or may not be usable.
    var maybe: [String: Issued] = [:]
    /// Whether a finding about a token was withdrawn once.
    var excuses = 0
    var doubts: [Doubt] = []
    /// Whether its token was issued on behalf of another user.
    var isForAnother = false
    var ledger: CommCareLedger?
    var polling: Polling?
    var refused: Refused?
    /// A full restore after a 412 that was refused with 412 as well.
    var refusedTwice: ExchangeRow?
    /// The 412 that the running restore recovers from.
    var recovering: ExchangeRow?
    /// Refused incremental syncs in a row, each after a full restore.
    var loop: [Explained] = []
    /// The last request whose state is not that of the cases of the device, and how it differs.
    var mismatch: (exchange: ExchangeID, detail: String)?
    /// Forms that the device reported as unsent, and were not sent since.
    var unsent: (count: Int, row: ExchangeRow)?
    /// The last restore, where it failed for a reason that may pass and was not requested again.
    var failedRestore: CommCareReply?
    /// A claim that made a sync necessary.
    var claimed: CommCareReply?
    /// Forms whose last try failed, for a reason that may pass.
    var failedForms: [String: FailedForm] = [:]
    /// The last 422 that a form was put aside for, and nothing submitted since.
    var aside: CommCareReply?
    /// instanceID of the form that was sent last.
    var lastForm: String?
    /// `timeEnd` of the newest form, and its first request.
    var newestForm: (timeEnd: Int64, row: ExchangeRow, instanceID: String)?
    /// Cases that forms updated before any was seen to create them.
    var updatedBlind: [ExactText: (row: ExchangeRow, instanceID: String)] = [:]
    /// The last request.
    var last: ExchangeID?
    var lanes: [OpenRosaAPI.Group: Lane] = [:]
    var failures: [OpenRosaAPI: Failure] = [:]

    static let maxTokens = 1_000
    static let maxForms = 5_000
}
