import Filters
import Wire

extension ActionSpecification {
    /// The action `move-current`.
    static let moveCurrent = ActionSpecification(
        .moveCurrent,
        [
            Parameter(
                "to", .text,
                "The change version in its place; default: one drawn from the seed.")
        ],
        [.command], implied: "command:i sender:server",
        "Gives a page of an index another current, as if the bucket had changed while it was "
            + "read.",
        example: "command:i => move-current nth=2",
        effect: { _ in .altered },
        recovery: ActionRecovery(command: .indexOrChanges))
}
