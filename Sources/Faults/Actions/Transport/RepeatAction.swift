import Filters
import Wire

extension ActionSpecification {
    /// The action `repeat`.
    static let doubled = ActionSpecification(
        .doubled,
        [
            Parameter(
                "count", .integer, range: 1...1000, "How many more are sent; default: 1.")
        ],
        [.requestBody, .command, .message],
        "Sends a request, command or message again; the client gets the first answer alone.",
        example: "command:c sender:server => repeat nth=2",
        effect: { _ in .repeated },
        recovery: ActionRecovery(
            exchange: .exchangeItself, targetStays: true, ownMessageCounts: true))
}
