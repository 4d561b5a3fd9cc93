import Filters

extension ActionSpecification {
    private static let request: [FilterPhase] = [.requestHead, .requestBody]
    private static let response: [FilterPhase] = [.responseHead, .responseBody]

    /// Whose bytes are meant: of a request or of its response.
    static let side = Parameter(
        "sender", .text, values: ["client", "server"],
        "Whose bytes: client for the request, server for the response; default: server.")

    /// Actions on HTTP exchanges.
    static let exchanges: [ActionSpecification] = [
        ActionSpecification(
            .status,
            [
                Parameter(
                    "code", .integer, positional: true, required: true, range: 100...999,
                    "Status of the answer."),
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
            ],
            request + response,
            "Answers a request with a status. Without a body, the answer is the correct one of the "
                + "protocol: a CommCare 202 with progress and Retry-After, 401 with "
                + "WWW-Authenticate, 406 with its JSON, 412 and 422 with an OpenRosaResponse, 429 "
                + "and 503 with Retry-After. A number alone is short for it.",
            example: "api:commcare.restore => status 503 retry-after=30 first=3"),
        ActionSpecification(
            .loseAnswer,
            [
                Parameter(
                    "how", .text, values: ["close", "reset", "stall"],
                    "What the client sees instead of the answer; default: close.")
            ],
            response,
            "Forwards the request but not the answer, so that the client does not know whether the "
                + "server accepted it.",
            example: "api:commcare.submit => lose-answer how=reset nth=1"),
        ActionSpecification(
            .answerTwice, [], [.responseBody],
            "Sends the answer twice, one directly after the other.",
            example: "method:POST => answer-twice first=1"),
        ActionSpecification(
            .truncate,
            [
                Parameter(
                    "at", .size, positional: true, required: true, range: 0...(.max),
                    "Bytes of the body that are still sent.")
            ],
            response,
            "Closes the connection in the middle of the body of a response.",
            example: "api:commcare.restore => truncate 10KiB first=1"),
        ActionSpecification(
            .corrupt,
            [
                Parameter(
                    "at", .size, range: 0...(.max),
                    "Offset in the body of the first byte that is changed; default: drawn from the "
                        + "seed within the first bytes."),
                Parameter(
                    "count", .size, range: 1...1_048_576,
                    "Bytes that are changed; default: 1."),
                side,
            ],
            request + response,
            "Changes bytes of a body; its length stays correct.",
            example: "path:/media/* => corrupt at=100 count=4"),
        ActionSpecification(
            .length,
            [
                Parameter(
                    "by", .integer, positional: true, required: true,
                    range: -1_000_000_000_000...1_000_000_000_000,
                    "What is added to the Content-Length of the response.")
            ],
            response,
            "Sends a response with a wrong Content-Length; a chunked response is left unchanged.",
            example: "path:/forms/* => length -10"),
        ActionSpecification(
            .contentType,
            [
                Parameter(
                    "type", .text, positional: true, required: true,
                    "The Content-Type to be sent instead."),
                side,
            ],
            request + response, "Mislabels the body.",
            example: "api:commcare.restore => content-type text/html"),
        ActionSpecification(
            .cutXML,
            [
                Parameter(
                    "at", .size, positional: true, range: 0...(.max),
                    "Bytes of the decoded body that are kept; default: half of them.")
            ],
            [.responseBody],
            "Cuts an XML document in its middle, with a correct Content-Length: only a parser "
                + "notices.",
            example: "api:commcare.restore => cut-xml first=1"),
        ActionSpecification(
            .setHeader,
            [
                Parameter(
                    "name", .text, positional: true, required: true, "Name of the header field."),
                Parameter(
                    "value", .text, positional: true, required: true,
                    "The value, which replaces all present ones."),
                side,
            ],
            request + response, "Sets a header field.",
            example: "host:*.example => set-header Date \"Thu, 01 Jan 1998 00:00:00 GMT\""),
        ActionSpecification(
            .removeHeader,
            [
                Parameter(
                    "name", .text, positional: true, required: true, "Name of the header field."),
                side,
            ],
            request + response, "Removes a header field.",
            example:
                "api:commcare.submit => remove-header X-CommCareHQ-LastSyncToken sender=client"),
    ]
}
