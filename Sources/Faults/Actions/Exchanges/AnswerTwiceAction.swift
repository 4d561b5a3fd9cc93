import Filters
import Wire

extension ActionSpecification {
    /// The action `answer-twice`.
    static let answerTwice = ActionSpecification(
        .answerTwice, [], [.responseBody],
        "Sends the answer twice, one directly after the other.",
        example: "method:POST => answer-twice first=1",
        effect: { _ in .repeated },
        recovery: ActionRecovery(exchange: .exchangeItself, targetStays: true))
}
