import Filters
import Wire

extension ActionSpecification {
    /// The action `serve`.
    static let serve = ActionSpecification(
        .serve,
        [
            Parameter(
                "value", .text, positional: true, required: true,
                "The file, or a folder in which the path of the request names it; relative to where "
                    + "tapedeck was started."),
            Parameter("type", .text, "Content-Type; default: that of the ending of its name."),
        ],
        [.requestHead, .requestBody],
        "Answers a request with a file, as it is then: with ranges, and with 304 where the client has "
            + "it already.",
        example: "path:/media/* => serve ./public",
        effect: { _ in .answered },
        recovery: ActionRecovery(exchange: .answer, targetStays: true),
        purpose: .edit,
        side: { _ in .client })
}
