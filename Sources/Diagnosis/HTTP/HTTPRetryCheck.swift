import Dissection
import Wire

/// Requests that are sent again after the server has begun to answer, or has refused them.
struct HTTPRetryCheck {
    private struct Past {
        let client: String
        let row: ExchangeRow
        let content: [UInt8]
        let step: FindingStep
    }

    /// The last that were refused or whose answer was cut.
    private var past: [Past] = []
    private static let maxPast = 32
    /// Nanoseconds within which a request follows without anybody having looked.
    private static let atOnce: Int64 = 2_000_000_000

    /// Statuses that no other rule covers.
    private static let refusals: Set<Int> = [400, 403, 404, 405, 410, 413, 415]

    mutating func asked(
        _ exchange: borrowing ExchangeEvidence, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        guard !past.isEmpty, exchange.row.method == "POST", exchange.row.requestSize > 0 else {
            return
        }
        let row = exchange.row
        let client = session.client(of: row.connection)
        let content = exchange.request?.body.content ?? []
        guard
            let index = past.lastIndex(where: {
                $0.row.path == row.path && $0.row.query == row.query && $0.row.host == row.host
                    && $0.row.requestSize == row.requestSize && $0.client == client
                    && $0.content == content && $0.row.id != row.id
            })
        else { return }
        let before = past[index]
        let ended = before.row.endedAt ?? before.row.startedAt
        let gap = row.startedAt.nanoseconds - ended.nanoseconds
        if before.row.outcome == .responseCut {
            report.add(
                Finding(
                    HTTPRules.retryAfterAnswerBegan, asked: copy exchange, session,
                    topic: row.path,
                    detail:
                        "POST \(row.path) was sent again after its answer had begun with \(before.row.status ?? 0).",
                    before: [before.step]))
            past.remove(at: index)
        } else if gap >= 0, gap <= Self.atOnce {
            report.add(
                Finding(
                    HTTPRules.retryAfterRefusal, asked: copy exchange, session, topic: row.path,
                    detail:
                        "POST \(row.path) with the same \(row.requestSize) bytes was sent \(gap / 1_000_000) ms after it was answered \(before.row.status ?? 0).",
                    before: [before.step]))
        }
    }

    mutating func answered(
        _ exchange: borrowing ExchangeEvidence, _ session: borrowing SessionView
    ) {
        let row = exchange.row
        guard row.method == "POST", row.requestSize > 0, let status = row.status,
            let request = exchange.request
        else { return }
        // Forms and restores have separate rules.
        let isJudged = row.api.hasPrefix("commcare.") || row.api.hasPrefix("openrosa.")
        let isRefused =
            row.outcome == .complete && Self.refusals.contains(status) && !isJudged
        let isCut =
            row.outcome == .responseCut && !row.api.hasSuffix(".submit")
        guard isRefused || isCut else { return }
        if past.count >= Self.maxPast { past.removeFirst() }
        past.append(
            Past(
                client: session.client(of: row.connection), row: row,
                content: request.body.content,
                step: FindingStep(
                    response: copy exchange, isCut ? "the answer began" : "it was refused")))
    }
}
