import Wire

extension HTTPRules {
    static let serverDate = Rule.exchange(
        "http.server-date-missing", .info, blames: .server,
        title: "An answer has a Date.",
        source:
            "RFC 9110, 6.6.1: \"An origin server with a clock MUST generate a Date header field in all 2xx (Successful), 3xx (Redirection), and 4xx (Client Error) responses\".",
        evidence: "An answer of 200 to 499 without `Date`.",
        expects: "`Date` with the time of the answer.",
        silent: "CommCare and OpenRosa, which have a separate rule.")
    static let serverAuthenticate = Rule.exchange(
        "http.server-401-without-challenge", .warning, blames: .server,
        title: "A 401 has WWW-Authenticate.",
        source:
            "RFC 9110, 15.5.2: \"The server generating a 401 response MUST send a WWW-Authenticate header field containing at least one challenge\".",
        evidence: "A 401 without `WWW-Authenticate`.",
        expects: "`WWW-Authenticate` with at least one scheme.")
    static let serverAllow = Rule.exchange(
        "http.server-405-without-allow", .warning, blames: .server,
        title: "A 405 has Allow.",
        source:
            "RFC 9110, 15.5.6: \"The origin server MUST generate an Allow header field in a 405 response\".",
        evidence: "A 405 without `Allow`.", expects: "`Allow` with the methods of the target.")
    static let serverLocation = Rule.exchange(
        "http.server-redirect-without-location", .warning, blames: .server,
        title: "A redirect has Location.",
        source:
            "RFC 9110, 15.4: 301, 302, 303, 307 and 308 \"SHOULD generate a Location header field\"; clients cannot follow without.",
        evidence: "A 301, 302, 303, 307 or 308 without `Location`.",
        expects: "`Location` with the other address.")
    static let serverCoding = Rule.exchange(
        "http.server-coding-not-asked", .warning, blames: .server,
        title: "Content is coded only in ways that the client accepts.",
        source:
            "RFC 9110, 12.5.3: a content coding that `Accept-Encoding` does not list is not acceptable.",
        evidence: "A `Content-Encoding` that the `Accept-Encoding` of the request leaves out.",
        expects: "The content without coding, or in one of those listed.",
        silent: "The request has no `Accept-Encoding`: any coding will do.")
    static let serverChunkedToOld = Rule.exchange(
        "http.server-chunked-to-1.0", .error, blames: .server,
        title: "A request of HTTP/1.0 is not answered in chunks.",
        source:
            "RFC 9112, 6.1: \"A server MUST NOT send a response containing Transfer-Encoding unless the corresponding request indicates HTTP/1.1\".",
        evidence: "`Transfer-Encoding` in the answer to a request of HTTP/1.0.",
        expects: "A `Content-Length`, or the end of the connection after the content.")
    static let serverShortBody = Rule.exchange(
        "http.server-short-body", .error, blames: .server, repetition: .each,
        title: "An answer has as much content as it declares.",
        source:
            "RFC 9112, 8: an answer that ends before its Content-Length or its last chunk is incomplete; Diagnosis/Catalogue.md#c87: \"shorter than Content-Length\", after which the whole sync fails.",
        follows: "which side closes each connection first",
        evidence: "The server closed the connection inside an answer.",
        expects: "All of the content, or an error status.",
        silent: "The client closed first, a fault cut the connection, or bytes are missing.",
        cause: "A gateway's timeout or a crash of the server while it writes.")
}
