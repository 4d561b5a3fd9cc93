import Framing
import Wire

/// What happens to exchanges when legs are closed and nothing more follows.
extension HTTPConversation {
    /// A leg was closed: a response that ends with it is complete, one that does not is cut.
    func legClosed(_ leg: LegID, peer: Peer?, at: Instant, why: String) {
        if peer == .client {
            cutHead(at: at, why: why)
            if let exchange = reading, exchange.requestLoss == nil {
                exchange.row.problem = "the client's connection closed inside the request: \(why)"
                output.touch(exchange)
            }
            if !context.hasServer { finish(at: at, why: why) }
            return
        }
        guard responseLeg == leg || (responseLeg == nil && !isResponding) else { return }
        if isResponding {
            events.removeAll(keepingCapacity: true)
            responses.endOfStream(into: &events)
            for event in events {
                if case .end = event { endResponse(at: at) }
            }
            if isResponding, let exchange = waiting.first {
                isResponding = false
                waiting.removeFirst()
                exchange.finish(
                    at: at, outcome: .responseCut,
                    problem: exchange.requestLoss ?? "the response ends early: \(why)", to: output)
            }
        }
        renewResponses()
        responseLeg = nil
        guard !context.hasServer else { return }
        // No other leg is left that could answer what was sent.
        let hasFailed = requestFailure != nil
        for exchange in waiting where exchange.isRequestComplete || hasFailed {
            exchange.finish(
                at: at, outcome: exchange.isRequestComplete ? .noResponse : .requestCut,
                problem: exchange.loss ?? "no response: \(why)", to: output)
        }
        waiting.removeAll { $0.isFinished }
        if reading?.isFinished == true { reading = nil }
        renewResponses()
    }

    /// The client closed its side.
    func clientEnded(at: Instant) { cutHead(at: at, why: "the client closed its side") }

    /// Nothing more follows.
    func finish(at: Instant, why: String) {
        cutHead(at: at, why: why)
        finishWaiting(at: at, why: why)
    }

    /// Ends all exchanges.
    func finishWaiting(at: Instant, why: String) {
        if isResponding {
            events.removeAll(keepingCapacity: true)
            responses.endOfStream(into: &events)
            for event in events {
                if case .end = event { endResponse(at: at) }
            }
        }
        for (index, exchange) in waiting.enumerated() {
            let isCut = index == 0 && isResponding
            exchange.finish(
                at: at,
                outcome: isCut
                    ? .responseCut : exchange.isRequestComplete ? .noResponse : .requestCut,
                problem: exchange.requestLoss ?? exchange.responseLoss ?? exchange.row.problem
                    ?? why,
                to: output)
        }
        waiting = []
        reading = nil
        isResponding = false
    }
}
