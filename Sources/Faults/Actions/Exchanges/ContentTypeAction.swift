import Filters
import Wire

extension ActionSpecification {
    /// The action `content-type`.
    static let contentType = ActionSpecification(
        .contentType,
        [
            Parameter(
                "type", .text, positional: true, required: true,
                "The Content-Type to be sent instead."),
            .side,
        ],
        .exchange, "Mislabels the body.",
        example: "api:commcare.restore => content-type text/html",
        effect: { _ in .altered },
        recovery: ActionRecovery(),
        side: { $0.text("sender") == "client" ? .client : .server })
}
