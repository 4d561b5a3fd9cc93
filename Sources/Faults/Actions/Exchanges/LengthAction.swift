import Filters
import Wire

extension ActionSpecification {
    /// The action `length`.
    static let length = ActionSpecification(
        .length,
        [
            Parameter(
                "by", .integer, positional: true, required: true,
                range: -1_000_000_000_000...1_000_000_000_000,
                "What is added to the Content-Length of the response.")
        ],
        .response,
        "Sends a response with a wrong Content-Length; a chunked response is left unchanged.",
        example: "path:/forms/* => length -10",
        effect: { _ in .altered },
        recovery: ActionRecovery())
}
