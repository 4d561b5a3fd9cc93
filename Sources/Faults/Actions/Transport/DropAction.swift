import Filters
import Wire

extension ActionSpecification {
    /// The action `drop`.
    static let drop = ActionSpecification(
        .drop,
        [
            Parameter(
                "close", .flag,
                "Whether the connection is closed; without it, a request stays unanswered.")
        ],
        [.requestHead, .requestBody, .command, .message],
        "Does not forward a request, command or message.",
        example: "command:c sender:server => drop nth=1",
        effect: { $0.action.flag("close") ? [.lost, .ended] : .lost },
        recovery: ActionRecovery(),
        refusalToWait: { action, _ in
            action.flag("close")
                ? nil
                : "after: what is dropped is never sent; only the end of the connection can be "
                    + "delayed, with close"
        })
}
