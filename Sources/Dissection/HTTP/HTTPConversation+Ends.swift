import Framing
import Wire

/// What becomes of exchanges when legs are closed and nothing more comes.
extension HTTPConversation {
    /// A leg was closed: a response that ends with it is complete, one that does not is cut.
    func legClosed(_ leg: LegID, peer: Peer?, at: Instant, why: String) {
        if peer == .client {
            if let exchange = reading {
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
        for exchange in waiting where exchange.isRequestComplete {
            exchange.finish(
                at: at, outcome: .noResponse,
                problem: exchange.loss ?? "no response: \(why)", to: output)
        }
        waiting.removeAll { $0.isRequestComplete }
        renewResponses()
    }

    /// Nothing more will come.
    func finish(at: Instant, why: String) {
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
