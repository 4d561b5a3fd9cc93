import Framing
import Wire

/// An exchange that is not finished, with what has been read of its two sides.
final class OpenExchange {
    // Safety of all that follows: a conversation changes one thing of it at a time.

    @exclusivity(unchecked) var row: ExchangeRow { didSet { isJoined = false } }
    /// Whether ``ExchangeJoin`` has the row as it is.
    @exclusivity(unchecked) var isJoined = false
    @exclusivity(unchecked) var request: BodyCollector?
    @exclusivity(unchecked) var response: BodyCollector?
    /// The kind of request, which determines how the response ends.
    let kind: HTTPRequestKind
    /// Whether the port was in the request, or is the scheme's own.
    let hasExplicitPort: Bool
    /// Why the end of the request is unknown.
    @exclusivity(unchecked) var requestLoss: String?
    /// Why the response, or its end, is unknown.
    @exclusivity(unchecked) var responseLoss: String?
    /// The missing bytes of a request and a response whose ends are known.
    @exclusivity(unchecked) var holes: [String] = []
    /// Whether it is the first request after missing bytes.
    @exclusivity(unchecked) var followsLoss = false
    /// Whether requests may be missing before it, so that its response is unknown.
    @exclusivity(unchecked) var isDoubtful = false
    /// Why its end is unknown, if bytes are missing.
    var loss: String? {
        requestLoss ?? responseLoss ?? (isDoubtful ? HTTPConversation.isOpen : nil)
    }
    /// The sizes of its contents as of the last change of its row that has not been given out.
    @exclusivity(unchecked) var changedSizes: (request: Int64, response: Int64)?
    @exclusivity(unchecked) private(set) var isFinished = false

    init(row: ExchangeRow, kind: HTTPRequestKind, hasExplicitPort: Bool) {
        self.row = row
        self.kind = kind
        self.hasExplicitPort = hasExplicitPort
    }

    /// A finished one, of which only the row is used.
    init(finished other: OpenExchange) {
        row = other.row
        kind = other.kind
        hasExplicitPort = other.hasExplicitPort
        isFinished = true
    }

    /// One in the same state that goes on by itself, of one that is ``isCopyable``.
    init(copying other: OpenExchange) {
        row = other.row
        kind = other.kind
        hasExplicitPort = other.hasExplicitPort
        requestLoss = other.requestLoss
        responseLoss = other.responseLoss
        holes = other.holes
        followsLoss = other.followsLoss
        isDoubtful = other.isDoubtful
    }

    /// Whether its request was read to its end, and nothing of its response was.
    var isCopyable: Bool { isRequestComplete && request == nil && response == nil && !isFinished }

    /// Whether the request was read to its end.
    var isRequestComplete: Bool { row.requestEndedAt != nil }

    /// Records that `count` bytes are missing of the content of one side, which continues after
    /// them.
    func miss(_ count: Int64, of sender: Peer) {
        switch sender {
        case .client:
            row.requestSize = row.requestSize.advanced(past: count)
            request?.skip(count)
        case .server:
            row.responseSize = row.responseSize.advanced(past: count)
            response?.skip(count)
        }
        let side = sender == .client ? "request" : "response"
        // A hostile capture may be full of holes.
        if holes.count < 8 { holes.append("\(count) bytes of the \(side) are missing") }
    }

    /// Emits the row of an exchange whose response, or the rest of it, is missing.
    func lose(at: Instant, hasBegun: Bool, _ detail: String, to out: DissectorOutput) {
        response?.lose()
        finish(
            at: at, outcome: hasBegun ? .responseCut : .noResponse,
            problem: loss ?? detail, to: out)
    }

    /// Takes it for finished, with no rows.
    func forget() {
        isFinished = true
        request = nil
        response = nil
    }

    /// Emits the finished row.
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
        row.problem = problem ?? (holes.isEmpty ? nil : holes.joined(separator: "; "))
        out.emit(.exchange(row))
    }
}
