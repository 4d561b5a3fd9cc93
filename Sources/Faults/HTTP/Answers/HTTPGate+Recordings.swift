import Framing
import Wire

/// Answers from recordings.
extension HTTPGate {
    /// Answers a request that is complete from the first recording that has an answer to it.
    ///
    /// Where none has, it stays as it is and the rules are stated with the reason.
    mutating func answerFromRecordings(
        _ work: inout Incoming, _ at: Instant, _ commands: inout [GateCommand]
    ) {
        let firings = work.passage.steps.filter { $0.action.kind == .recorded }
        guard !firings.isEmpty else { return }
        work.passage.steps.removeAll { $0.action.kind == .recorded }
        for (place, firing) in firings.enumerated() {
            switch recorded(firing, work) {
            case .missed(let why): fail([firing], at, .client, why, &commands)
            case .recorded(let bytes, let closes):
                answer(
                    firing, &work.passage, work.exchange, at, &commands,
                    with: LocalAnswer(bytes: bytes, closes: closes))
                failTaken(Array(firings[(place + 1)...]), by: firing, .client, at, &commands)
                abandon(&work.passage, takenBy: firing, at, &commands)
                forwardReady(&commands)
                return
            }
        }
    }

    private func recorded(_ firing: Firing, _ work: Incoming) -> RecordingSource.Answer {
        guard work.exchange.kind != .connect else {
            return .missed("a tunnel is not answered, the requests in it are")
        }
        guard !work.exchange.isUpgrade else {
            return .missed("WebSockets are not played from a recording; replay server does that")
        }
        return session.recordings.answer(
            firing.action.text("value") ?? "",
            to: RecordingSource.Request(
                head: work.exchange.head, content: work.passage.content, server: context.server,
                isClientTLS: context.isClientTLS))
    }
}
