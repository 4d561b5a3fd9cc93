import Filters
import Wire

extension ActionSpecification {
    /// The action `redirect`.
    static let redirect = ActionSpecification(
        .redirect,
        [
            Parameter(
                "value", .text, positional: true, required: true,
                "The Location: a URL, or a path of the same server."),
            Parameter(
                "code", .integer, range: 300...399, "Status of the answer; default: 307."),
        ],
        [.requestHead, .requestBody],
        "Answers a request with a redirection, in the server's place.",
        example: "path:/old/* => redirect https://staging.example/new",
        effect: { _ in .answered },
        recovery: ActionRecovery(exchange: .answer, targetStays: true),
        purpose: .edit,
        side: { _ in .client })
}
