internal import Notation
internal import Replaying
internal import Serving
internal import Wire

extension RecordedResponse {
    /// The answer of an embedded server, at `now` in seconds since 1970.
    init(_ answer: ServedAnswer, now: Int64) {
        self.init(
            status: answer.status, reason: Self.reasons[answer.status] ?? "",
            fields: answer.fields.map { .init($0.name, $0.value) }, body: answer.body)
        if !has("date") { fields.append(.init("Date", HTTPDate(unixSeconds: now).text)) }
    }

    /// A response of Tapedeck with a text for people, at `now` in seconds since 1970.
    init(
        _ status: Int, _ reason: String, text: String, now: Int64,
        fields: [ReplayMessage.Field] = []
    ) {
        self.init(
            status: status, reason: reason,
            fields: [
                .init("Content-Type", "text/plain; charset=utf-8"),
                .init("Date", HTTPDate(unixSeconds: now).text),
            ] + fields, body: Array(text.utf8))
    }

    /// Reason phrases of what the embedded servers answer.
    ///
    /// Source: RFC 9110, 15; RFC 6585.
    private static let reasons = [
        200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 304: "Not Modified",
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 406: "Not Acceptable", 409: "Conflict", 410: "Gone",
        412: "Precondition Failed", 413: "Content Too Large", 422: "Unprocessable Content",
        429: "Too Many Requests", 500: "Internal Server Error", 503: "Service Unavailable",
    ]

    /// Whether there is a field with this name, given in lower case.
    func has(_ name: String) -> Bool {
        fields.contains { $0.name.utf8.count == name.utf8.count && $0.name.lowercased() == name }
    }
}
