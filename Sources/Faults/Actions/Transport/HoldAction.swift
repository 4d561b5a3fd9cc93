import Filters
import Wire

extension ActionSpecification {
    /// The action `hold`.
    static let hold = ActionSpecification(
        .hold,
        [
            Parameter(
                "for", .duration, positional: true, range: 1_000_000...86_400_000_000_000,
                "After how long it goes on by itself; default: 5m."),
            Parameter(
                "sender", .text, values: ["client", "server"],
                "Whose message of an exchange: client for the request, server for the response; "
                    + "default: the one at which the filter is decided."),
            Parameter(
                "by", .text, "The add-on that was asked about it; only in traces."),
            Parameter(
                "outcome", .text, values: HoldOutcome.allCases.map(\.rawValue),
                "How it went on; only in traces."),
        ],
        .exchange + [.command, .message],
        "Holds a request, response, command or message until somebody decides about it: "
            + "`tapedeck hold`.",
        example: "command:c sender:client => hold",
        effect: { application in
            application.action.text("outcome").flatMap { HoldOutcome(rawValue: $0) }?.effect(
                on: application.sender) ?? .delayed
        },
        recovery: ActionRecovery(
            exchange: .exchangeItself, targetStays: true, ownMessageCounts: true),
        purpose: .edit,
        side: { action in
            action.text("sender").map { $0 == "client" ? .client : .server }
        },
        refusalToWait: { action, _ in
            "after: \(action.kind) waits for a decision, and cannot be delayed further"
        })
}
