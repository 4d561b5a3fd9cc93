import Dissection
import OpenRosa
import Wire

/// The answer to a request.
///
/// A final class, so that it can be remembered in several places without being copied.
final class CommCareReply: Sendable {
    let row: ExchangeRow
    /// The status; 0 without a response.
    let status: Int
    /// Whether the client certainly received all of it, and in time.
    let isHeard: Bool
    /// Whether Tapedeck made or changed it.
    let isTouched: Bool
    /// Whether its body is a well-formed `OpenRosaResponse`.
    let isResponse: Bool
    /// The first document of its body.
    let document: OpenRosaRow?
    /// Seconds of `Retry-After`.
    let retryAfter: Int?

    /// Nanoseconds after which a client counts as having given up waiting.
    static let patience: Int64 = 30_000_000_000

    var nature: String? { document?.nature }
    /// When the client received its first byte.
    var at: Instant { row.respondedAt ?? row.endedAt ?? row.startedAt }
    /// Whether it means that the form was accepted, for both CommCare and OpenRosa.
    var isAccepted: Bool {
        (status == 201 || status == 202) && isResponse && nature != "submit_error"
            && nature != "processing_failure"
    }

    func step(_ detail: String, quote: String? = nil) -> FindingStep {
        row.responseStep(detail, quote)
    }

    init(_ exchange: borrowing ExchangeEvidence, _ session: borrowing SessionView) {
        row = exchange.row
        status = exchange.row.status ?? 0
        isTouched = exchange.isAnswerTouched
        document = exchange.response?.documents.first
        isResponse =
            document.map { $0.root == "OpenRosaResponse" && $0.problem == nil } ?? false
        if case .seconds(let seconds) = exchange.row.retryAfter.flatMap(RetryAfter.parse) {
            retryAfter = seconds
        } else {
            retryAfter = nil
        }
        let sent = exchange.row.requestEndedAt ?? exchange.row.startedAt
        let ended = exchange.row.endedAt ?? exchange.row.startedAt
        let view = session[exchange.row.connection]
        // A leg that closed during the request may have been the client's.
        let wasClosed =
            view?.endedAt.map {
                $0 > exchange.row.startedAt && $0 < exchange.row.respondedAt ?? ended
            } ?? false
        isHeard =
            exchange.row.outcome == .complete && !wasClosed
            && ended.nanoseconds - sent.nanoseconds <= Self.patience
            && !((view?.wasCut ?? false) && !exchange.faults.isEmpty && !exchange.row.isLocal)
    }
}

extension ExchangeRow {
    func requestStep(_ detail: String, _ quote: String? = nil) -> FindingStep {
        FindingStep(request: ExchangeEvidence(self, request: nil), detail, quote: quote)
    }

    func responseStep(_ detail: String, _ quote: String? = nil) -> FindingStep {
        FindingStep(response: ExchangeEvidence(self, request: nil), detail, quote: quote)
    }
}
