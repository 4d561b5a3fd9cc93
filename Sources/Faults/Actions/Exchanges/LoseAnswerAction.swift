import Filters
import Wire

extension ActionSpecification {
    /// The action `lose-answer`.
    static let loseAnswer = ActionSpecification(
        .loseAnswer,
        [
            Parameter(
                "how", .text, values: ["close", "reset", "stall"],
                "What the client sees instead of the answer; default: close.")
        ],
        .response,
        "Forwards the request but not the answer, so that the client does not know whether the "
            + "server accepted it.",
        example: "api:commcare.submit => lose-answer how=reset nth=1",
        effect: { [.lost, $0.action.text("how") == "stall" ? .stalled : .ended] },
        recovery: ActionRecovery(exchange: .requestOrAnother),
        refusalToWait: { action, _ in
            action.text("how") == "stall"
                ? "after: with how=stall the answer is never sent, so it cannot be delayed" : nil
        })
}
