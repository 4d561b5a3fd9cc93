import Filters
import Wire

extension ActionSpecification {
    /// The action `add-header`.
    static let addHeader = ActionSpecification(
        .addHeader,
        [
            Parameter(
                "name", .text, positional: true, required: true, "Name of the header field."),
            Parameter(
                "value", .text, positional: true, required: true,
                "The value of one more field of this name, behind all others."),
            .side,
        ],
        .exchange, "Adds a header field, and leaves those of the same name.",
        example: "path:/login => add-header Set-Cookie \"theme=dark; Path=/\"",
        effect: { _ in .altered },
        recovery: ActionRecovery(exchange: .exchangeItself, targetStays: true),
        purpose: .edit,
        side: { $0.text("sender") == "client" ? .client : .server })
}
