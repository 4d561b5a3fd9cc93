import Filters
import Wire

extension ActionSpecification {
    /// The action `error`.
    static let error = ActionSpecification(
        .error,
        [
            Parameter(
                "code", .integer, positional: true, required: true,
                range: -1_000_000...1_000_000, "The error code."),
            Parameter(
                "as", .text, values: ["integer", "string"],
                "How the code is written in the JSON; default: integer."),
            Parameter(
                "forwarded", .flag,
                "Whether the server gets the change and its answer is replaced; without it, "
                    + "the server does not receive the change."),
        ],
        [.command], implied: "command:c sender:client",
        "Refuses a change of the client with an error code.",
        example: "command:c bucket:notes => error 440 nth=3",
        effect: { $0.sender == .server ? .altered : .answered },
        recovery: ActionRecovery(command: .refusedChange, mayBeTakenBack: true))
}
