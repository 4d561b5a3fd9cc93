import Framing
import Wire

/// An exchange that is not finished, with what has been read of its two sides.
final class OpenExchange {
    var row: ExchangeRow
    var request: BodyCollector?
    var response: BodyCollector?
    /// What the request asks for, which decides how the response ends.
    let kind: HTTPRequestKind
    /// Whether the request wants to change the protocol.
    let isUpgrade: Bool
    /// Whether the port was in the request, or is the scheme's own.
    let hasExplicitPort: Bool
    var isListed = false
    private(set) var isFinished = false

    init(row: ExchangeRow, kind: HTTPRequestKind, isUpgrade: Bool, hasExplicitPort: Bool) {
        self.row = row
        self.kind = kind
        self.isUpgrade = isUpgrade
        self.hasExplicitPort = hasExplicitPort
    }

    /// Whether the request was read to its end.
    var isRequestComplete: Bool { row.requestEndedAt != nil }

    /// Gives out the finished row.
    func finish(
        at: Instant, outcome: ExchangeRow.Outcome, problem: String?, to out: DissectorOutput
    ) {
        guard !isFinished else { return }
        isFinished = true
        request?.finish(isCut: !isRequestComplete, to: out)
        response?.finish(isCut: outcome == .responseCut, to: out)
        request = nil
        response = nil
        row.endedAt = at
        row.outcome = outcome
        row.problem = problem
        out.emit(.exchange(row))
    }
}
