import Filters
import Wire

extension ActionSpecification {
    /// The action `unknown-channel`.
    static let unknownChannel = ActionSpecification(
        .unknownChannel,
        [
            Parameter(
                "to", .integer, range: 0...(1 << 53),
                "The channel in its place; default: 9999.")
        ],
        [.command], implied: "has:channel sender:server",
        "Sends a command of the server on a channel that was never opened.",
        example: "command:c => unknown-channel nth=2",
        effect: { _ in .altered },
        recovery: ActionRecovery())
}
