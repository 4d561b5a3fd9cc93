import Dissection
import Wire

/// Checks the order of the exchanges of one connection.
struct HTTPConnectionCheck {
    private struct State {
        /// The end of the exchange after which nothing may follow, and the side that announced it.
        var closing: (at: Instant, step: FindingStep, byServer: Bool)?
        /// A POST that is not answered.
        var post: ExchangeID?
        /// A request that began before the answer to that POST.
        var follower: ExchangeEvidence?
        /// An answer that ends early, until it is known which side closed.
        var cut: ExchangeEvidence?
    }

    private var states: [ConnectionID: State] = [:]
    /// The leg of each connection that ended first, of the last connections that ended.
    private var firstEnded: [ConnectionID: LegID] = [:]
    private static let maxStates = 16_384

    mutating func asked(
        _ exchange: borrowing ExchangeEvidence, _ glance: HeadSummary,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        let row = exchange.row
        let isRisky = row.method == "POST" || row.method == "PATCH"
        guard isRisky || states[row.connection] != nil else { return }
        if states.count >= Self.maxStates, states[row.connection] == nil { states.removeAll() }
        var state = states[row.connection] ?? State()
        if let closing = state.closing,
            row.startedAt.nanoseconds - closing.at.nanoseconds
                > HTTPRules.afterClose.minimumNanoseconds ?? 0
        {
            let who = closing.byServer ? "the answer before" : "the request before"
            report.add(
                Finding(
                    HTTPRules.afterClose, asked: copy exchange, session,
                    detail:
                        "\(row.method) \(row.path) was sent on a connection that was to close: \(who) has `Connection: close`.",
                    before: [closing.step]))
        }
        if state.post != nil, state.follower == nil { state.follower = copy exchange }
        if isRisky, state.post == nil, row.requestEndedAt != nil {
            state.post = row.id
        }
        states[row.connection] = state
    }

    mutating func answered(
        _ exchange: borrowing ExchangeEvidence, _ glance: HeadSummary,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        let row = exchange.row
        let isCut = row.outcome == .responseCut
        let asksToClose =
            row.outcome == .complete && row.status != 101
            && (glance.closes || HeadSummary(exchange.request?.body.head ?? []).closes)
        guard isCut || asksToClose || states[row.connection] != nil else { return }
        if states.count >= Self.maxStates, states[row.connection] == nil { states.removeAll() }
        var state = states[row.connection] ?? State()
        if asksToClose, let ended = row.endedAt {
            let quote = (glance.closes ? exchange.response : exchange.request)?.head
                .first("connection")?.line
            let step =
                glance.closes
                ? FindingStep(response: copy exchange, "it will close", quote: quote)
                : FindingStep(request: copy exchange, "it will close", quote: quote)
            state.closing = (ended, step, glance.closes)
        }
        if state.post == row.id {
            if let follower = state.follower, let responded = row.respondedAt,
                follower.row.startedAt < responded, !exchange.isRequestTouched,
                !follower.isRequestTouched
            {
                report.add(
                    Finding(
                        HTTPRules.pipelinedAfterPost, asked: follower, session,
                        detail:
                            "\(follower.row.method) \(follower.row.path) began before the answer to \(row.method) \(row.path).",
                        before: [FindingStep(request: copy exchange, "not answered yet")]))
            }
            state.post = nil
            state.follower = nil
        }
        if isCut, !exchange.isAnswerTouched, exchange.faults.isEmpty { state.cut = copy exchange }
        settle(&state, session, &report)
        states[row.connection] = state
    }

    /// Takes an event of a connection.
    mutating func take(
        _ event: EventRow, _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard event.kind == .closed || event.kind == .ended, let id = event.connection,
            let leg = event.leg
        else { return }
        if firstEnded[id] == nil {
            if firstEnded.count >= Self.maxStates { firstEnded.removeAll() }
            firstEnded[id] = leg
        }
        guard var state = states[id] else { return }
        settle(&state, session, &report)
        states[id] = event.kind == .closed ? nil : state
    }

    /// Judges an answer that ends early once it is known which side closed.
    private func settle(
        _ state: inout State, _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard let exchange = state.cut, let first = firstEnded[exchange.row.connection] else {
            return
        }
        state.cut = nil
        let row = exchange.row
        guard let leg = row.serverLeg, first == leg,
            let view = session[row.connection], view.coverage == .whole, !view.wasCut
        else { return }
        let length = exchange.response?.head.value("content-length")
        let size = length.map { " of \(Quote.escaped($0)) bytes" } ?? " bytes"
        report.add(
            Finding(
                HTTPRules.serverShortBody, answered: exchange, session,
                detail:
                    "The server closed the connection after \(row.responseSize)\(size) of the answer to \(row.method) \(row.path)."
            ))
    }
}
