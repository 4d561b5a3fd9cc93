import Filters
import Wire

extension ActionSpecification {
    /// The action `block`.
    static let block = ActionSpecification(
        .block,
        [
            Parameter(
                "code", .integer, positional: true, range: 200...999,
                "Status of the answer; default: 403.")
        ],
        [.requestHead, .requestBody],
        "Keeps a request from the server, and answers it with a status and no body.",
        example: "host:tracker.example => block 404",
        effect: { _ in .answered },
        recovery: ActionRecovery(exchange: .answer, targetStays: true),
        purpose: .edit,
        side: { _ in .client })
}
