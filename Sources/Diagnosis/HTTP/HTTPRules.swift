import Wire

/// Rules of HTTP that matter to clients of these protocols.
enum HTTPRules {
    static let all: [Rule] = requests + connections + answers + noted

    /// Rules about one request.
    static let requests: [Rule] = [
        bodyOnGet, expectWithoutContent, expectNotWaited, compressedWithoutCoding, chunkedRefused,
        requestCut,
    ]

    /// Rules about several requests of one connection or client.
    static let connections: [Rule] = [
        afterClose, cookieLost, cookiesIgnored, pipelinedAfterPost, retryAfterRefusal,
        retryAfterAnswerBegan,
    ]

    /// Rules about answers.
    static let answers: [Rule] = [
        serverDate, serverAuthenticate, serverAllow, serverLocation, serverCoding,
        serverChunkedToOld, serverShortBody,
    ]
}

extension HTTPRules {
    static let bodyOnGet = Rule.exchange(
        "http.body-on-get", .warning, title: "A GET or HEAD request has no content.",
        source:
            "RFC 9110, 9.3.1: \"A client SHOULD NOT generate content in a GET request\", 9.3.2 the same for HEAD; HTTPLayer/Specification.md#requests has bodies only for POST.",
        evidence: "A GET or HEAD request with content.",
        expects: "Parameters in the query, or a POST.",
        cause: "The method is left at GET while a body is set.")
    static let expectWithoutContent = Rule.exchange(
        "http.expect-without-content", .warning,
        title: "Only a request with content may expect 100-continue.",
        source:
            "RFC 9110, 10.1.1: \"A client MUST NOT generate a 100-continue expectation in a request that does not include content.\"",
        evidence: "`Expect` in a request without `Content-Length` and `Transfer-Encoding`.",
        expects: "The request without `Expect`.")
    static let expectNotWaited = Rule.exchange(
        "http.expect-not-waited", .info,
        title: "A client that expects 100-continue waits for it.",
        source:
            "RFC 9110, 10.1.1: a client that will wait for a 100 response before it sends the content has to send `Expect`; one that does not wait has no use for it.",
        evidence: "The content arrived in the same read as a head with `Expect: 100-continue`.",
        expects: "The head first, the content after 100 or about a second; or no `Expect`.",
        cause: "The head and the content are written at once.")
    static let compressedWithoutCoding = Rule.exchange(
        "http.compressed-without-coding", .error,
        title: "Compressed content is declared in Content-Encoding.",
        source:
            "RFC 9110, 8.4: \"If one or more encodings have been applied to a representation, the sender that applied the encodings MUST generate a Content-Encoding header field\"; Diagnosis/Catalogue.md#o-r5.",
        evidence: "Content that begins with the two bytes of gzip, of a type that is not gzip.",
        expects: "`Content-Encoding: gzip`, or the content as it is.",
        silent: "The type is one of files that may be compressed, such as octet-stream.",
        cause: "The compression flag compresses the body and does not add the field.")
    static let chunkedRefused = Rule.exchange(
        "http.chunked-refused", .error,
        title: "Chunked content is not sent again to a server that refused it.",
        source:
            "RFC 9112, 6.3 and 6.1: a 411 requires a length, a 501 means that the transfer coding is not understood; Diagnosis/Catalogue.md#c85.",
        follows: "the answers 411 and 501 to chunked requests, by client and server",
        evidence: "`Transfer-Encoding` in a request to a server that answered 411 or 501 to one.",
        expects: "A `Content-Length` in place of chunks.",
        cause: "The length of an encrypted or streamed part is given as unknown (-1).")
    static let requestCut = Rule.exchange(
        "http.request-cut", .info,
        title: "A request is sent to its end.",
        source:
            "RFC 9112, 8: a request whose content is shorter than its Content-Length is incomplete; RFC 9110, 8.6: a sender must not send a Content-Length that is known to be wrong.",
        evidence: "The client closed the connection inside a request that had no answer.",
        expects: "As many bytes as `Content-Length` declares, or the last chunk.",
        silent: "A fault cut the connection, or bytes are missing from the capture.",
        cause: "A timeout or a shutdown during the upload, or a length that counts characters.")

    static let afterClose = Rule.exchange(
        "http.after-close", .error,
        title: "No request follows on a connection after `Connection: close`.",
        source:
            "RFC 9112, 9.6: \"A client that receives a 'close' connection option MUST cease sending requests on that connection\", and so must one that sent it.",
        follows: "`Connection: close` in the heads of each connection",
        evidence:
            "A request that begins more than 0.2 s after the end of an answer, where the answer or its request had `close`.",
        expects: "A new connection.", minimumNanoseconds: 200_000_000,
        cause: "The connection pool ignores `Connection` of the answer.")
    static let cookieLost = Rule.exchange(
        "http.cookie-lost", .warning,
        title: "A cookie that was sent back once is sent with every matching request.",
        source:
            "RFC 6265, 5.4: a user agent that keeps cookies sends each whose host and path match; servers keep sessions by them.",
        follows:
            "the cookies set on each connection, with path, age and whether they were sent back",
        evidence:
            "A request without a cookie that the client sent before on the same connection, that is for its host and path and has neither expired nor been removed.",
        expects: "The cookie in `Cookie`.",
        cause: "A request is built by hand and does not go through the cookie store.")
    static let cookiesIgnored = Rule.exchange(
        "http.cookies-ignored", .info,
        title: "The server sets a cookie repeatedly since the client keeps none.",
        source:
            "RFC 6265, 5: a user agent may ignore cookies; the server then begins a session with each request.",
        follows: "the cookies set on each connection",
        evidence:
            "A server sets the same cookie twice on a connection, and it was never sent back.",
        expects: "The cookie in `Cookie`, where the session matters.",
        cause: "The HTTP library keeps cookies only where it is given a store for them.")
    static let pipelinedAfterPost = Rule.exchange(
        "http.pipelined-after-post", .warning,
        title: "No request follows a POST on its connection before the POST is answered.",
        source:
            "RFC 9112, 9.3.2: \"A user agent SHOULD NOT pipeline requests after a non-idempotent method, until the final response status code for that method has been received\".",
        follows: "the request under way of each connection",
        evidence: "A request begins before the first byte of the answer to a POST or PATCH.",
        expects: "The request after the answer, or on another connection.",
        silent: "The POST is never answered.")
    static let retryAfterRefusal = Rule.exchange(
        "http.retry-after-4xx", .warning, repetition: .topic,
        title: "A request that was refused is not sent again unchanged at once.",
        source:
            "RFC 9110, 15.5: \"The 4xx class of status code indicates that the client seems to have erred\"; HTTPLayer/Specification.md#retries: a retry is for \"internet or server failures\"; Diagnosis/Catalogue.md#o-r2.",
        follows: "the last requests of each client that were answered 4xx",
        evidence:
            "A POST with the same target and the same content within 2 s after 400, 403, 404, 405, 410, 413 or 415.",
        expects: "No retry; the request has to be changed first.",
        silent: "The status is one with separate rules, such as 401, 406, 412, 422 or 429.",
        cause: "The retry loop counts every status above 299 as a failure of the network.")
    static let retryAfterAnswerBegan = Rule.exchange(
        "http.retry-after-answer-began", .info, repetition: .topic,
        title: "A POST whose answer had begun was sent again.",
        source:
            "RFC 9110, 9.2.2: \"A client SHOULD NOT automatically retry a request with a non-idempotent method\" unless it knows that repeating does no harm.",
        follows: "the last POST requests whose answer was cut",
        evidence: "A POST with the same target and content after an answer that began and was cut.",
        expects:
            "A request that the server can distinguish from the first, or a query for its outcome.",
        silent: "Forms with an instanceID, which a server recognizes.")
}
