import Filters
import Wire

extension ActionSpecification {
    /// The action `set-header`.
    static let setHeader = ActionSpecification(
        .setHeader,
        [
            Parameter(
                "name", .text, positional: true, required: true, "Name of the header field."),
            Parameter(
                "value", .text, positional: true, required: true,
                "The value, which replaces all present ones."),
            .side,
        ],
        .exchange, "Sets a header field.",
        example: "host:*.example => set-header Date \"Thu, 01 Jan 1998 00:00:00 GMT\"",
        effect: { _ in .altered },
        recovery: ActionRecovery(exchange: .exchangeItself, targetStays: true),
        side: { $0.text("sender") == "client" ? .client : .server })
}
