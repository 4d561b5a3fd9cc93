import Filters
import Wire

extension ActionSpecification {
    /// The action `recorded`.
    static let recorded = ActionSpecification(
        .recorded,
        [
            Parameter(
                "value", .text, positional: true, required: true,
                "The trace; relative to where tapedeck was started.")
        ],
        [.requestHead, .requestBody],
        "Answers a request as a trace has it answered, matched by meaning as replay server does; what "
            + "was not recorded passes.",
        example: "host:api.example => recorded app.tape",
        effect: { _ in .answered },
        recovery: ActionRecovery(exchange: .answer, targetStays: true),
        purpose: .edit,
        side: { _ in .client })
}
