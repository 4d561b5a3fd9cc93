import Wire

extension CommCareExchangeRules {
    /// Rules about answers to a submission.
    static let serverSubmission: [Rule] = [
        rejectionNature, messageNotFirst, acceptedWith200, openRosaAcceptedWith200,
        withoutEnvelope, disguisedError, redirected,
    ]

    private static func server(
        _ id: String, _ severity: FindingRow.Severity, title: String, source: String,
        evidence: String, expects: String, silent: String? = nil, cause: String? = nil
    ) -> Rule {
        .exchange(
            id, severity, blames: .server, title: title, source: source, evidence: evidence,
            expects: expects, silent: silent, cause: cause)
    }

    private static let rejection =
        "OpenRosa/Specification.md#code-422: \"An OpenRosaResponse message with the nature processing_failure will describe the issue.\""
    static let rejectionNature = server(
        "commcare.server.422-nature", .error,
        title: "A 422 to a form has the nature processing_failure.",
        source: rejection
            + " CommCare Android sends the form again for ever otherwise; Diagnosis/Catalogue.md#c24.",
        evidence:
            "A 422 to a submission without OpenRosaResponse or with another nature; `post_processing_failure` is only information.",
        expects: "`<message nature=\"processing_failure\">` with the reason.")
    static let messageNotFirst = server(
        "commcare.server.message-not-first", .warning,
        title: "The message is the first element of a 422.",
        source: rejection
            + " CommCare Android looks at the first child only; Diagnosis/Catalogue.md#c25.",
        evidence: "A 422 to a submission whose `message` is not the first child.",
        expects: "`message` first.")
    static let acceptedWith200 = server(
        "commcare.server.accepted-with-200", .warning,
        title: "A form that was accepted is answered 201.",
        source:
            "OpenRosa/Specification.md#openrosa-http: 200 is unused and \"shouldn't be assumed to be meaningful\"; CommCare Android deletes the form all the same; Diagnosis/Catalogue.md#c37.",
        evidence: "A 200 to a submission.", expects: "201, or 202.",
        cause: "A gateway answers in place of the server.")
    static let openRosaAcceptedWith200 = server(
        "openrosa.server.accepted-with-200", .error,
        title: "An OpenRosa server answers a form with 201 or 202.",
        source:
            "OpenRosa/Specification.md#openrosa-http: 200 is unused; ODK Collect treats it as a failure and sends the form for ever (formhub 767); Diagnosis/Catalogue.md#c37.",
        evidence: "A 200 to a submission.", expects: "201, or 202.")
    static let withoutEnvelope = server(
        "openrosa.server.accepted-without-envelope", .error,
        title: "A form counts as accepted only with an OpenRosaResponse.",
        source:
            "OpenRosa/Specification.md#openrosa-http: \"until a 201 or 202 response code is received with an OpenRosaResponse envelope body\"; a captive portal's page would make CommCare Android delete the form; Diagnosis/Catalogue.md#c38.",
        evidence: "A 2xx to a submission whose body is something else, such as HTML.",
        expects: "201 with `OpenRosaResponse`.", silent: "The body is empty.",
        cause: "A captive portal or gateway answers in place of the server.")
    static let disguisedError = server(
        "commcare.server.disguised-error", .error,
        title: "An error does not come with a success code.",
        source:
            "CommCare HQ answers 201 with `submit_error` to versions other than 3.0; clients delete the form; Diagnosis/Catalogue.md#c39.",
        evidence: "A 2xx to a submission with `nature=\"submit_error\"`.",
        expects: "422 with `processing_failure`.",
        cause: "The request lacks `X-OpenRosa-Version: 3.0`.")
    static let redirected = server(
        "openrosa.server.submission-redirected", .error,
        title: "A submission is not redirected.",
        source:
            "OpenRosa/Specification.md#openrosa-http: 3xx do not apply to submissions; CommCare HQ: \"an actual redirect doesn't work because it becomes a GET\"; Diagnosis/Catalogue.md#c69.",
        evidence: "A 301, 302 or 303 to a POST of a form.",
        expects: "The answer at this address, or 307 or 308.",
        cause: "The address is with http or without a slash, and the framework redirects.")
}
