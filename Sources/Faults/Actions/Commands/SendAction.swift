import Filters
import Wire

extension ActionSpecification {
    /// The action `send`.
    static let send = ActionSpecification(
        .send,
        [
            Parameter(
                "text", .text, positional: true, required: true,
                "The whole message: 0:index, log:1, ? ..."),
            Parameter(
                "to", .text, values: ["client", "server"],
                "Who gets it; default: the client."),
        ],
        [.command, .message],
        "Injects a text message after the one that the rule matched.",
        example: "command:init sender:client => send 0:index after=1s",
        effect: { _ in .injected },
        recovery: ActionRecovery(
            exchange: .anything, command: .anyCommand, targetStays: true),
        isFireable: true)
}
