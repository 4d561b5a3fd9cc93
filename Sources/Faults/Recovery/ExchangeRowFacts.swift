import Dissection
import Wire

/// What matters of an exchange here.
struct ExchangeRowFacts: Sendable {
    var id: ExchangeID
    var connection: ConnectionID
    var api: String
    var method: String
    var host: String
    var path: String
    var status: Int?
    var startedAt: Instant
    var at: Instant
    var retryAfter: String?
    var device: String?
    var isComplete: Bool

    init(_ row: ExchangeRow) {
        id = row.id
        connection = row.connection
        api = row.api
        method = row.method
        host = row.host
        path = row.path
        status = row.status
        startedAt = row.startedAt
        at = row.endedAt ?? row.respondedAt ?? row.startedAt
        retryAfter = row.retryAfter
        device = row.device
        isComplete = row.outcome == .complete
    }

    /// Whether nothing is known of what the answer has to be, so that any 2xx is a success.
    var takesAnySuccess: Bool { api == "http" }

    /// Whether the client got what it requested.
    var isGood: Bool {
        guard let status, method != "CONNECT" else { return false }
        if status == 101 { return true }
        guard isComplete, 200..<300 ~= status else { return false }
        switch api {
        // 202 means that the answer is still to come.
        case "commcare.restore", "commcare.admin-restore", "commcare.case-restore":
            return status == 200
        default: return true
        }
    }
}
