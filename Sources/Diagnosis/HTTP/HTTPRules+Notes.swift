import Wire

extension HTTPRules {
    /// Rules for the notes of the decoders about heads and framing.
    static let noted: [Rule] =
        [
            twoLengths, differentLengths, fieldSyntax, missingHost, hostDiffers, oldChunked,
            unreadable,
        ] + [
            serverTwoLengths, serverDifferentLengths, serverFieldSyntax, serverUnreadable,
            serverLengthForbidden, serverUnasked,
        ]

    /// The rule that a note about `sender` breaks.
    static func rule(for code: String, of sender: Peer) -> Rule? {
        switch sender {
        case .client: clientNotes[code]
        case .server: serverNotes[code]
        }
    }

    private static let syntaxCodes = [
        "http.bare-lf", "http.bare-cr", "http.leading-empty-line", "http.start-line-space",
        "http.method", "http.target", "http.no-version", "http.version", "http.status",
        "http.space-before-fields", "http.obs-fold", "http.space-before-colon", "http.no-colon",
        "http.field-name", "http.control-byte", "http.repeated-length", "http.length-syntax",
        "http.chunked-not-last", "http.transfer-coding", "http.chunk-size",
        "http.chunk-extension",
    ]

    private static let clientNotes: [String: Rule] = {
        var rules = Dictionary(syntaxCodes.map { ($0, fieldSyntax) }) { first, _ in first }
        rules["http.two-lengths"] = twoLengths
        rules["http.different-lengths"] = differentLengths
        rules["http.no-host"] = missingHost
        rules["http.two-hosts"] = missingHost
        rules["http.host-differs"] = hostDiffers
        rules["http.transfer-encoding-1.0"] = oldChunked
        rules["http.failed"] = unreadable
        return rules
    }()

    private static let serverNotes: [String: Rule] = {
        var rules = Dictionary(syntaxCodes.map { ($0, serverFieldSyntax) }) { first, _ in first }
        rules["http.two-lengths"] = serverTwoLengths
        rules["http.different-lengths"] = serverDifferentLengths
        rules["http.failed"] = serverUnreadable
        rules["http.length-forbidden"] = serverLengthForbidden
        rules["http.response-without-request"] = serverUnasked
        return rules
    }()

    private static func decoded(
        _ id: String, _ severity: FindingRow.Severity, _ blames: Peer, title: String,
        source: String, evidence: String, expects: String, cause: String? = nil
    ) -> Rule {
        .exchange(
            id, severity, blames: blames, title: title, source: source, evidence: evidence,
            expects: expects, silent: "Bytes of the connection are missing.", cause: cause)
    }

    private static let lengthsSource =
        "RFC 9112, 6.2: \"A sender MUST NOT send a Content-Length header field in any message that contains a Transfer-Encoding header field\""
    static let twoLengths = decoded(
        "http.two-lengths", .error, .client,
        title: "A request has either Content-Length or Transfer-Encoding.",
        source: lengthsSource + "; Diagnosis/Catalogue.md#c85.",
        evidence: "Both fields in one request.",
        expects: "One of the two: servers refuse such a request, since it may be smuggling.",
        cause: "A fixed length is set by hand on a body that the library streams.")
    static let serverTwoLengths = decoded(
        "http.server-two-lengths", .error, .server,
        title: "An answer has either Content-Length or Transfer-Encoding.",
        source: lengthsSource + ".", evidence: "Both fields in one answer.",
        expects: "One of the two.")
    private static let differentSource =
        "RFC 9112, 6.3: a message with differing values of Content-Length has an invalid length, and is an unrecoverable error"
    static let differentLengths = decoded(
        "http.different-lengths", .error, .client,
        title: "A request has one Content-Length.", source: differentSource + ".",
        evidence: "Values of `Content-Length` that differ.", expects: "The one that is right.",
        cause: "The caller's own field and that of the library are both sent.")
    static let serverDifferentLengths = decoded(
        "http.server-different-lengths", .error, .server,
        title: "An answer has one Content-Length.", source: differentSource + ".",
        evidence: "Values of `Content-Length` that differ.", expects: "The one that is right.")
    private static let syntaxSource =
        "RFC 9112, 2.2, 3, 4, 5, 6.3 and 7.1, and RFC 9110, 5.1, 5.5 and 8.6: the grammar of heads and chunks"
    static let fieldSyntax = decoded(
        "http.request-syntax", .warning, .client,
        title: "A request conforms to the grammar of HTTP.", source: syntaxSource + ".",
        evidence: "A note of the decoder about the start line, a field or a chunk size.",
        expects: "CR LF at the end of each line, `name: value` without other space, one length.",
        cause: "Heads are built by hand.")
    static let serverFieldSyntax = decoded(
        "http.server-syntax", .warning, .server,
        title: "An answer conforms to the grammar of HTTP.", source: syntaxSource + ".",
        evidence: "A note of the decoder about the status line, a field or a chunk size.",
        expects: "CR LF at the end of each line, `name: value` without other space, one length.")
    static let missingHost = decoded(
        "http.host", .error, .client, title: "A request of HTTP/1.1 has one Host.",
        source:
            "RFC 9112, 3.2: \"A client MUST send a Host header field in all HTTP/1.1 request messages\", and a server answers 400 where it is missing or there are several.",
        evidence: "No `Host`, or more than one.", expects: "`Host` with the server's name, once.")
    static let hostDiffers = decoded(
        "http.host-differs", .info, .client, title: "Host and the target name one server.",
        source:
            "RFC 9112, 3.2.2: \"When an origin server receives a request with an absolute-form of request-target, the origin server MUST ignore the received Host header field\".",
        evidence: "A target in absolute form whose authority is not `Host`.",
        expects: "The same authority in both.")
    static let oldChunked = decoded(
        "http.chunked-1.0", .error, .client,
        title: "A request of HTTP/1.0 has no Transfer-Encoding.",
        source:
            "RFC 9112, 6.1: \"A client MUST NOT send a request containing Transfer-Encoding unless it knows the server will handle HTTP/1.1 (or later) requests\"; one of HTTP/1.0 is treated as faulty framing.",
        evidence: "`Transfer-Encoding` in a request of HTTP/1.0.", expects: "`Content-Length`.")
    static let unreadable = decoded(
        "http.unreadable", .error, .client, title: "What a client sends can be read as HTTP.",
        source:
            "RFC 9112, 3 and 6.3; bytes after the content of a request are read as the next one, so that a Content-Length that is too small ends here.",
        evidence: "Bytes that cannot be framed as a request.",
        expects: "A request, and as many bytes of content as its `Content-Length` declares.",
        cause: "A Content-Length that counts characters where bytes are sent.")
    static let serverUnreadable = decoded(
        "http.server-unreadable", .error, .server,
        title: "What a server sends can be read as HTTP.",
        source:
            "RFC 9112, 4 and 6.3; bytes after the content of an answer are read as the next one, so that a Content-Length that is too small ends here.",
        evidence: "Bytes that cannot be framed as an answer.",
        expects: "An answer, and as many bytes of content as its `Content-Length` declares.")
    static let serverLengthForbidden = decoded(
        "http.server-length-forbidden", .warning, .server,
        title: "An answer without content has no length.",
        source:
            "RFC 9110, 8.6: \"A server MUST NOT send a Content-Length header field in any response with a status code of 1xx (Informational) or 204 (No Content)\"; RFC 9112, 6.1 the same for Transfer-Encoding.",
        evidence: "A 1xx or 204 with a length or a transfer coding.",
        expects: "Only the head; clients that trust the length wait for content.")
    static let serverUnasked = decoded(
        "http.server-unasked-answer", .error, .server,
        title: "A server sends nothing that was not requested.",
        source:
            "RFC 9112, 9.2: a client that receives data on a connection without outstanding requests must not treat it as a response; RFC 9110, 15.3.5 and 15.4.5: 204 and 304 have no content.",
        evidence: "An answer where no request waits for one.",
        expects: "One answer per request, and no content after 204 or 304.")
}
