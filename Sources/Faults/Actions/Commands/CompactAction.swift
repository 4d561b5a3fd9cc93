import Filters
import Wire

extension ActionSpecification {
    /// The action `compact`.
    static let compact = ActionSpecification(
        .compact,
        [
            Parameter(
                "count", .integer, range: 2...1000,
                "Changes that are joined; default: 2.")
        ],
        [.command], implied: "command:c sender:server",
        "Holds changes back and sends them together, those of one object as one change, as the "
            + "server does for a client that was offline.",
        example: "command:c => compact count=3",
        effect: { _ in [.altered, .delayed] },
        recovery: ActionRecovery(targetStays: true, ownMessageCounts: true),
        refusalToWait: { action, _ in
            "after: \(action.kind) waits for the next message, and cannot be delayed further"
        })
}
