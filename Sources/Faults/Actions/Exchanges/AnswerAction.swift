import Filters
import Wire

extension ActionSpecification {
    /// The action `answer`.
    static let answer = ActionSpecification(
        .answer,
        [
            Parameter(
                "code", .integer, positional: true, range: 100...999,
                "Status of the answer; default: 200.")
        ] + answering,
        .exchange,
        "Gives an answer of your own in the server's place, as a mock does. It is made like "
            + "that of status, and is nothing that a client has to recover from.",
        example: "path:/config => answer type=application/json body={}",
        effect: { $0.sender == .server ? .altered : .answered },
        recovery: ActionRecovery(exchange: .answer, targetStays: true),
        purpose: .edit,
        exclusive: ["body", "body-file"],
        side: { $0.flag("forwarded") ? .server : .client })
}
