import Filters
import Wire

extension ActionSpecification {
    /// The action `reorder`.
    static let reorder = ActionSpecification(
        .reorder, [], [.command, .message],
        "Forwards a message after the next one of its sender (a command: of its channel), or "
            + "after 5 s where none follows.",
        example: "command:c sender:server => reorder every=3",
        effect: { _ in .delayed },
        recovery: ActionRecovery(targetStays: true, ownMessageCounts: true),
        refusalToWait: { action, _ in
            "after: \(action.kind) waits for the next message, and cannot be delayed further"
        })
}
