import Wire

extension CommCareExchangeRules {
    /// Rules about answers to a sync.
    static let serverSync: [Rule] = [
        retryAfterMissing, retryAfterMalformed, progressMissing, pendingEnvelope,
        progressMalformed, restoreIDMissing, registrationMalformed, itemsDiffer,
        fixtureMalformed, serverValueTooLong, serverIndexWrong, restoreError, slowRestore,
        restoreNotWellFormed, formListNotWellFormed,
    ]

    private static func server(
        _ id: String, _ severity: FindingRow.Severity, title: String, source: String,
        evidence: String, expects: String, silent: String? = nil, cause: String? = nil
    ) -> Rule {
        .exchange(
            id, severity, blames: .server, title: title, source: source, evidence: evidence,
            expects: expects, silent: silent, cause: cause)
    }

    private static let pending =
        "OpenRosa/Specification.md#code-202: \"Async 202 restore responses should contain an HTTP Header Retry-After with an integer value describing amount of time (in seconds)\""
    static let retryAfterMissing = server(
        "commcare.server.retry-after-missing", .error,
        title: "A 202 to a sync has Retry-After.",
        source: pending
            + "; CommCare Android aborts the sync without it; Diagnosis/Catalogue.md#c14.",
        evidence: "A 202 to a restore without `Retry-After`.", expects: "`Retry-After: 5`.")
    static let retryAfterMalformed = server(
        "commcare.server.retry-after-malformed", .error,
        title: "Retry-After of a 202 is a positive number of seconds.",
        source: pending
            + "; CommCare Android reads it with parseInt, and 0 crashes it; Diagnosis/Catalogue.md#c15.",
        evidence: "0, a negative number, a date, a fraction, or more than 2147483.",
        expects: "A whole number from 1.")
    private static let body =
        "OpenRosa/Specification.md#code-202: \"If a 202 response includes a body, it should contain an OpenRosaResponse\""
    static let progressMissing = server(
        "commcare.server.progress-missing", .warning,
        title: "A 202 to a sync has the progress.",
        source: body
            + "; CommCare Android aborts the sync without `progress`; Diagnosis/Catalogue.md#c18.",
        evidence: "A 202 to a restore without body, or without `progress` in it.",
        expects: "`<Sync><progress done=\"55\" total=\"10000\"/></Sync>`.")
    static let pendingEnvelope = server(
        "commcare.server.pending-envelope", .error,
        title: "The body of a 202 is an OpenRosaResponse with the nature ota_restore_pending.",
        source: body
            + "; the example has that nature, and `Sync` in its namespace; Diagnosis/Catalogue.md#c19.",
        evidence:
            "A body of a 202 to a restore that is another document, has another nature, or `Sync` in another namespace.",
        expects: "The document of the specification.")
    static let progressMalformed = server(
        "commcare.server.progress-malformed", .warning,
        title: "done and total are numbers, and done is not above total.",
        source: body + "; CommCare Android reads both with parseInt; Diagnosis/Catalogue.md#c20.",
        evidence: "`done` or `total` missing, not a number, done above total, or total 0.",
        expects: "Two whole numbers.")
    private static let core =
        "OpenRosa/Specification.md#restores: commcare-core's parsers fail the whole sync"
    static let restoreIDMissing = server(
        "commcare.server.restore-id-missing", .error,
        title: "A restore has a sync token first in Sync.",
        source: core
            + "; without `restore_id` no incremental sync is possible; Diagnosis/Catalogue.md#c57.",
        evidence: "`restore_id` missing, empty, repeated, or not first in `Sync`.",
        expects: "`<Sync><restore_id>…</restore_id></Sync>`.")
    static let registrationMalformed = server(
        "commcare.server.registration-malformed", .error,
        title: "Registration is username, password, uuid and date, in this order.",
        source: core + " (UserXmlParser); Diagnosis/Catalogue.md#c58.",
        evidence: "A field missing, out of order or unknown, or an invalid date.",
        expects: "The four fields, then `user_data`.")
    static let itemsDiffer = server(
        "commcare.server.items-differ", .warning,
        title: "items is the number of elements in the answer.",
        source:
            "OpenRosa/Specification.md#openrosa-http: \"number of payloads included\"; CommCare HQ counts the message as well; Diagnosis/Catalogue.md#c59.",
        evidence: "`items` that is not a number, or neither the number of children nor one less.",
        expects: "The number of children of `OpenRosaResponse`.")
    static let fixtureMalformed = server(
        "commcare.server.fixture-malformed", .error,
        title: "A fixture has an id, and an indexed one a schema before it.",
        source: core + "; Diagnosis/Catalogue.md#c60.",
        evidence: "A fixture without `id`, or with `indexed=\"true\"` and no schema of its id.",
        expects: "`<schema id=…>` first, then `<fixture id=… indexed=\"true\">`.")
    static let serverValueTooLong = server(
        "commcare.server.case-value-too-long", .error,
        title: "Type, name, owner and external id in a restore have at most 255 characters.",
        source: core + " (checkForMaxLength); Diagnosis/Catalogue.md#c52.",
        evidence: "A longer one in a restore.", expects: "At most 255 characters.")
    static let serverIndexWrong = server(
        "commcare.server.case-index", .error,
        title: "An index in a restore leads to another case as child or extension.",
        source: core + " (InvalidIndex); Diagnosis/Catalogue.md#c53.",
        evidence: "An index to the case itself, or another `relationship`.",
        expects: "`relationship` `child` or `extension`, or none, and another case.")
    static let restoreError = server(
        "commcare.server.412-envelope", .error,
        title: "The body of a 412 is an OpenRosaResponse with the nature ota_restore_error.",
        source: "CommCare HQ's restore.py always sends one; Diagnosis/Catalogue.md#c82.",
        evidence: "A 412 to a restore with another body.",
        expects: "`<message nature=\"ota_restore_error\">` with the reason.")
    static let slowRestore = server(
        "commcare.server.slow-restore", .info,
        title: "A long restore is answered 202 first.",
        source:
            "CommCare HQ answers 202 after 10 s to clients of version 2.0 and above; mobile clients give up after 60 s; Diagnosis/Catalogue.md#c84.",
        evidence: "More than 60 s between a restore's request and a 200.",
        expects: "A 202 with `Retry-After` after some seconds.",
        silent: "The client announced a version below 2.0.")
    static let restoreNotWellFormed = server(
        "commcare.server.restore-not-well-formed", .error,
        title: "A restore is a complete, well-formed document.",
        source: core + ", and the sync token stays the old one; Diagnosis/Catalogue.md#c87.",
        evidence: "A 200 to a restore that is not well-formed, or ends within the document.",
        expects: "A document up to `</OpenRosaResponse>`.",
        silent: "The connection was cut, which is another rule.",
        cause: "An error page is written into a document that was begun.")
    static let formListNotWellFormed = server(
        "openrosa.server.form-list-not-well-formed", .error,
        title: "A form list is a complete, well-formed document.",
        source:
            "OpenRosa/Specification.md#openrosa-http, and no form can be fetched without it; Diagnosis/Catalogue.md#c87.",
        evidence:
            "A 200 to a request for the form list that is not well-formed, or ends within the document.",
        expects: "A document up to the end of its root.",
        silent: "The connection was cut, which is another rule.",
        cause: "An error page is written into a document that was begun.")
}
