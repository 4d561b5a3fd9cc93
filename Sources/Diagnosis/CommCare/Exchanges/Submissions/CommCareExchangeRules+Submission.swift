import Wire

extension CommCareExchangeRules {
    /// How a form is sent.
    static let submission: [Rule] = [
        formPartMissing, formPartRepeated, formPartType, field, attachmentUnreferenced,
        attachmentMissing, tooLarge, authtype, demoUser, slash,
    ]

    private static let parts =
        "OpenRosa/Specification.md#submissions: a multipart body with exactly one part named `xml_submission_file` of type text/xml"
    static let formPartMissing = Rule.exchange(
        "commcare.submit.form-part-missing", .error,
        title: "A submission has a part named xml_submission_file.",
        source: parts + "; CommCare HQ answers 400 without; Diagnosis/Catalogue.md#c40.",
        evidence: "A multipart body without that part, or with it as a field.",
        expects: "A file part named `xml_submission_file` with the form.")
    static let formPartRepeated = Rule.exchange(
        "commcare.submit.form-part-repeated", .error,
        title: "A submission has one form.",
        source: parts + " (\"Exactly 1 XForm Part\"); Diagnosis/Catalogue.md#c41.",
        evidence: "More than one part named `xml_submission_file`.",
        expects: "One form a request.",
        cause: "Each .xml file in the folder of the form is sent as a form.")
    static let formPartType = Rule.exchange(
        "commcare.submit.form-part-type", .warning,
        title: "The form's part is text/xml and its filename ends in .xml.",
        source: parts
            + "; CommCare HQ answers 422 to another extension; Diagnosis/Catalogue.md#c42.",
        evidence: "Another type, or another extension.",
        expects: "`Content-Type: text/xml` and `filename=\"form.xml\"`.")
    static let field = Rule.exchange(
        "commcare.submit.field", .error,
        title: "A submission to CommCare has only files.",
        source:
            "CommCare HQ answers 400 \"Received a submission with POST.keys()\" to any field that is not a file, such as ODK Collect's `*isIncomplete*`; Diagnosis/Catalogue.md#c43.",
        evidence: "A part without a filename.", expects: "Every part as a file.",
        silent: "OpenRosa servers, which support the mark.",
        cause: "A client written for OpenRosa servers splits large submissions.")
    static let attachmentUnreferenced = Rule.exchange(
        "commcare.submit.attachment-unreferenced", .warning, repetition: .topic,
        title: "The form names every file that is sent with it.",
        source:
            "OpenRosa/Specification.md#submissions: the name of a part \"matches an appropriate element\" of the form; Diagnosis/Catalogue.md#c44.",
        evidence: "A file whose name and filename are nowhere in the form.",
        expects: "The files that the form names, under those names.",
        silent: "The content of the form is not kept.",
        cause: "The folder of the form is sent whole, with files of answers that were changed.")
    static let attachmentMissing = Rule.exchange(
        "commcare.submit.attachment-missing", .info, repetition: .topic,
        title: "Files that the form names are sent with it.",
        source:
            "OpenRosa/Specification.md#submissions; CommCare Android silently leaves out files above 15 MiB; Diagnosis/Catalogue.md#c44.",
        evidence:
            "A form with an answer that looks like the name of a file, which is in no part.",
        expects: "The file in a part with that name.",
        silent:
            "More requests with the same form follow, or the answer may be other text; hence only information."
    )
    static let tooLarge = Rule.exchange(
        "commcare.submit.too-large", .warning, repetition: .topic,
        title: "A submission is no larger than the server accepts.",
        source:
            "CommCare HQ answers 413 to forms above 10 MiB and attachments above 15 MiB; OpenRosa servers announce their limit in `X-OpenRosa-Accept-Content-Length`; Diagnosis/Catalogue.md#c45.",
        follows: "the limit that each OpenRosa server has advertised",
        evidence: "A larger form, attachment or body.",
        expects: "Smaller files, or several requests where the server supports them.")
    static let authtype = Rule.exchange(
        "commcare.submit.authtype", .info,
        title: "The authentication type is given once and fits.",
        source:
            "CommCare Android adds `authtype=noauth` twice for demo users; CommCare HQ uses the last; Diagnosis/Catalogue.md#c76.",
        evidence: "`authtype` more than once, or `noauth` together with `Authorization`.",
        expects: "One `authtype`, and credentials only where it is not `noauth`.")
    static let demoUser = Rule.exchange(
        "commcare.submit.demo-user", .error, repetition: .topic,
        title: "Only the demo user changes cases without credentials.",
        source:
            "CommCare HQ answers 403 to case blocks of others than `demo_user` with `authtype=noauth`; Diagnosis/Catalogue.md#c77.",
        evidence: "A form with case blocks and another `userID`, sent with `authtype=noauth`.",
        expects: "Credentials, or `demo_user`.")
    static let slash = Rule.exchange(
        "commcare.submit.slash", .info,
        title: "The address of a receiver ends in a slash.",
        source:
            "CommCare HQ's patterns end in a slash; a framework's redirect to it turns the POST into a GET; Diagnosis/Catalogue.md#c81.",
        evidence: "A POST to a receiver without the slash.", expects: "`…/receiver/APP/`.",
        silent: "`receiver/submission`, where the slash may be left out.")
}
