import Filters
import Wire

extension ActionSpecification {
    /// The action `remove-header`.
    static let removeHeader = ActionSpecification(
        .removeHeader,
        [
            Parameter(
                "name", .text, positional: true, required: true, "Name of the header field."),
            .side,
        ],
        .exchange, "Removes a header field.",
        example:
            "api:commcare.submit => remove-header X-CommCareHQ-LastSyncToken sender=client",
        effect: { _ in .altered },
        recovery: ActionRecovery(exchange: .exchangeItself, targetStays: true),
        side: { $0.text("sender") == "client" ? .client : .server })
}
