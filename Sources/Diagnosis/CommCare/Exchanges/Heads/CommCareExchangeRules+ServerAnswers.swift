import Wire

extension CommCareExchangeRules {
    /// Rules about answers of any kind.
    static let serverAnswers: [Rule] = [
        overloadWithoutRetryAfter, actionMalformed, actionType, actionKey, commcareDate,
        openRosaDate, serverVersion, acceptLength, contentType, otherHost, namespace,
    ]

    private static func server(
        _ id: String, _ severity: FindingRow.Severity, title: String, source: String,
        evidence: String, expects: String, silent: String? = nil, cause: String? = nil
    ) -> Rule {
        .exchange(
            id, severity, blames: .server, title: title, source: source, evidence: evidence,
            expects: expects, silent: silent, cause: cause)
    }

    static let overloadWithoutRetryAfter = server(
        "commcare.server.overload-without-retry-after", .info,
        title: "A 429 or 503 may have Retry-After.",
        source:
            "RFC 6585, 4 and RFC 9110, 15.6.4: `Retry-After` may go with both; Diagnosis/Catalogue.md#c32.",
        evidence: "A 429 or 503 without `Retry-After`.", expects: "`Retry-After` with seconds.")
    private static let action =
        "OpenRosa/Specification.md#code-406: \"The body of the HTTP response must contain a JSON document with two elements\", `error` and `default_response`"
    static let actionMalformed = server(
        "commcare.server.406-body", .error,
        title: "The body of a 406 is JSON with error and default_response.",
        source: action + "; Diagnosis/Catalogue.md#c33.",
        evidence: "A 406 with another body.",
        expects: "`{\"error\": \"locale.translation.key\", \"default_response\": \"…\"}`.")
    static let actionType = server(
        "commcare.server.406-type", .warning, title: "The body of a 406 is declared as JSON.",
        source: action + "; Diagnosis/Catalogue.md#c34.",
        evidence: "A 406 with JSON of another type.",
        expects: "`Content-Type: application/json`.")
    static let actionKey = server(
        "commcare.server.406-key", .warning, title: "error of a 406 is a translation key.",
        source: action + ", \"locale.translation.key\"; Diagnosis/Catalogue.md#c36.",
        evidence: "An `error` that is empty or has spaces.",
        expects: "A key such as `user.deactivated`.",
        cause: "The message for the user is put where the key belongs.")
    private static let clock =
        "OpenRosa/Specification.md#openrosa-http: responses have a `Date`; CommCare Android's drift interceptor fails without one; Diagnosis/Catalogue.md#c62."
    static let commcareDate = server(
        "commcare.server.date-missing", .error, title: "Every answer to CommCare has a Date.",
        source: clock,
        evidence: "An answer without `Date`, or with one that is not an IMF-fixdate.",
        expects: "`Date: Sun, 06 Nov 1994 08:49:37 GMT`, in English.")
    static let openRosaDate = server(
        "openrosa.server.date-missing", .error, title: "Every answer of OpenRosa has a Date.",
        source: clock,
        evidence: "An answer without `Date`, or with one that is not an IMF-fixdate.",
        expects: "`Date: Sun, 06 Nov 1994 08:49:37 GMT`, in English.")
    static let serverVersion = server(
        "openrosa.server.version-missing", .warning,
        title: "An answer has X-OpenRosa-Version.",
        source:
            "OpenRosa/Specification.md#openrosa-http: each response has it; CommCare HQ's middleware writes `HTTP_X_OPENROSA_VERSION`; Diagnosis/Catalogue.md#c64.",
        evidence: "An answer to a submission, restore or form list without the field.",
        expects: "`X-OpenRosa-Version`.",
        cause: "The name under which the framework keeps the field is sent as it is.")
    static let acceptLength = server(
        "openrosa.server.accept-length-missing", .warning,
        title: "An OpenRosa server announces the maximum size of a submission.",
        source:
            "OpenRosa/Specification.md#openrosa-http: `X-OpenRosa-Accept-Content-Length` must be on successful responses; ODK Collect falls back to 10,000,000; Diagnosis/Catalogue.md#c65.",
        evidence: "A 201, 202 or 204 of an OpenRosa server to a submission without the field.",
        expects: "`X-OpenRosa-Accept-Content-Length` with a number of bytes.")
    static let contentType = server(
        "openrosa.server.content-type", .warning,
        title: "An OpenRosaResponse is text/xml with a charset.",
        source:
            "OpenRosa/Specification.md#openrosa-http: the body is XML, its type `text/xml; charset=utf-8`; CommCare HQ sends `text/html` with answers to submissions; Diagnosis/Catalogue.md#c66.",
        evidence: "An OpenRosaResponse with another type, or without charset.",
        expects: "`Content-Type: text/xml; charset=utf-8`.")
    static let otherHost = server(
        "openrosa.server.redirect-to-other-host", .error,
        title: "A redirect stays with the server.",
        source:
            "CommCare Android (isValidRedirect) and ODK Collect refuse to follow from https to another host; Diagnosis/Catalogue.md#c70.",
        evidence: "A 301, 302, 307 or 308 over https whose `Location` names another host.",
        expects: "An address of the same host.",
        silent: "The address may be one of the proxy's names.")
    static let namespace = server(
        "openrosa.server.envelope", .warning,
        title: "An answer is an OpenRosaResponse in its namespace.",
        source:
            "OpenRosa/Specification.md#openrosa-http: the root is `OpenRosaResponse` in `http://openrosa.org/http/response`; Diagnosis/Catalogue.md#c86.",
        evidence: "XML in answer to a submission or restore with another root or namespace.",
        expects: "`<OpenRosaResponse xmlns=\"http://openrosa.org/http/response\">`.")
}
