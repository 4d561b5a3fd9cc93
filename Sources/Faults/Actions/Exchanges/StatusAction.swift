import Filters
import Wire

extension ActionSpecification {
    /// The action `status`.
    static let status = ActionSpecification(
        .status,
        [
            Parameter(
                "code", .integer, positional: true, required: true, range: 100...999,
                "Status of the answer.")
        ] + answering,
        .exchange,
        "Answers a request with a status. Without a body, the answer is the correct one of the "
            + "protocol: a CommCare 202 with progress and Retry-After, 401 with "
            + "WWW-Authenticate, 406 with its JSON, 412 and 422 with an OpenRosaResponse, 429 "
            + "and 503 with Retry-After. A number alone is short for it.",
        example: "api:commcare.restore => status 503 retry-after=30 first=3",
        effect: { $0.sender == .server ? .altered : .answered },
        recovery: ActionRecovery(exchange: .answer),
        exclusive: ["body", "body-file"],
        side: { $0.flag("forwarded") ? .server : .client })

    /// The arguments of an answer besides its status.
    static let answering: [Parameter] = [
        Parameter(
            "retry-after", .integerOrText,
            "Retry-After: seconds, or any text to be sent as it is; default: that of the "
                + "ready-made answer."),
        Parameter(
            "body", .text, "Body; default: the ready-made one of the protocol."),
        Parameter(
            "body-file", .text, "File that the body is read from when the plan is loaded."),
        Parameter("type", .text, "Content-Type; default: that of the body."),
        Parameter(
            "header", .texts, "A header field, \"Name: value\"; may be given repeatedly."),
        Parameter(
            "message", .text,
            "Text for users in a ready-made body: of OpenRosaResponse, or default_response "
                + "of a 406."),
        Parameter("key", .text, "Translation key in the ready-made body of a 406."),
        Parameter(
            "progress", .text,
            "Progress in a ready-made 202, \"done/total\"; default: 10/100."),
        Parameter(
            "step", .integer, range: 0...1_000_000_000,
            "How much the progress grows with every occurrence; default: 10."),
        Parameter(
            "forwarded", .flag,
            "Whether the server gets the request and its answer is replaced; without it, "
                + "the server does not receive the request."),
    ]
}
