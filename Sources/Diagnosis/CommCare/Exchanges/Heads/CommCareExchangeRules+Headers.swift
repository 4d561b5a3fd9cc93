import Wire

extension CommCareExchangeRules {
    /// Fields of requests.
    static let headers: [Rule] = [
        versionMissing, versionValue, openRosaVersionMissing, openRosaVersionValue, underscores,
        deviceMissing, undocumented, dateMissing, dateWrong, clearCredentials, userWithoutDomain,
        method,
    ]

    private static let table =
        "OpenRosa/Specification.md#request-headers: \"CommCare submissions should contain additional headers with requests\""
    static let versionMissing = Rule.exchange(
        "commcare.headers.version-missing", .error,
        title: "A submission or sync has X-OpenRosa-Version.",
        source: table
            + ", `X-OpenRosa-Version` 3.0; without it CommCare HQ reports errors with 201 and `submit_error`, so that forms are lost; Diagnosis/Catalogue.md#c01.",
        evidence: "A submission or restore without the field.",
        expects: "`X-OpenRosa-Version: 3.0`.",
        silent: "A restore with `openrosa_version` in its query.",
        cause: "The fields are set on the first request and lost on redirects or retries.")
    static let versionValue = Rule.exchange(
        "commcare.headers.version-value", .warning,
        title: "X-OpenRosa-Version is 3.0.",
        source: table + "; CommCare HQ compares with exactly \"3.0\"; Diagnosis/Catalogue.md#c02.",
        evidence: "Another value in a submission or restore.",
        expects: "`X-OpenRosa-Version: 3.0`.")
    static let openRosaVersionMissing = Rule.exchange(
        "openrosa.headers.version-missing", .warning,
        title: "A request to an OpenRosa server has X-OpenRosa-Version.",
        source:
            "OpenRosa/Specification.md#openrosa-http: each request and each response has `X-OpenRosa-Version`; without it Aggregate refuses (enketo-express 107); Diagnosis/Catalogue.md#c01.",
        evidence: "A submission or a request for the form list without the field.",
        expects: "`X-OpenRosa-Version: 1.0`.")
    static let openRosaVersionValue = Rule.exchange(
        "openrosa.headers.version-value", .warning,
        title: "X-OpenRosa-Version is 1.0 for an OpenRosa server.",
        source:
            "OpenRosa/Specification.md#openrosa-http: the version is 1.0; Diagnosis/Catalogue.md#c02.",
        evidence: "Another value in a submission or a request for the form list.",
        expects: "`X-OpenRosa-Version: 1.0`.")
    static let underscores = Rule.exchange(
        "commcare.headers.underscore", .error,
        title: "The names of the fields have hyphens.",
        source: table
            + "; servers drop names with underscores, so that Formplayer's `X_OPENROSA_VERSION` never had an effect (formplayer pull request 153); Diagnosis/Catalogue.md#c03.",
        evidence: "A field that is `X-OpenRosa-…` or `X-CommCareHQ-…` but for underscores.",
        expects: "`X-OpenRosa-Version`, with hyphens.",
        cause: "The name under which a server's framework keeps the field is sent as it is.")
    static let deviceMissing = Rule.exchange(
        "commcare.headers.device-missing", .warning,
        title: "A submission or sync has the device id.",
        source: table
            + ", `x-openrosa-deviceid`: \"current device id\"; Diagnosis/Catalogue.md#c04.",
        evidence: "A submission or restore without the field.",
        expects: "`x-openrosa-deviceid` with an identifier that stays the same.")
    static let undocumented = Rule.exchange(
        "commcare.headers.undocumented", .info, repetition: .client,
        title: "Only fields of the specification are sent.",
        source: table
            + " names three; CommCare Android sends `x-openrosa-commcare-version` as well; Diagnosis/Catalogue.md#c78.",
        evidence: "Another `x-openrosa-…` or `x-commcarehq-…` field.",
        expects: "The fields of the specification; servers may ignore the others.")
    static let dateMissing = Rule.exchange(
        "openrosa.headers.date-missing", .info,
        title: "A request to an OpenRosa server has a Date.",
        source:
            "OpenRosa/Specification.md#openrosa-http: requests have a `Date`; Diagnosis/Catalogue.md#c63.",
        evidence: "A submission to an OpenRosa server without `Date`.",
        expects: "`Date` in the form of RFC 9110, 5.6.7.")
    static let dateWrong = Rule.exchange(
        "openrosa.headers.date-wrong", .warning,
        title: "The Date of a request is right.",
        source:
            "OpenRosa/Specification.md#openrosa-http: requests have a `Date`; ODK Collect writes the hour with `hh`, a clock of twelve hours, and is wrong by 12 h each afternoon; Diagnosis/Catalogue.md#c63.",
        evidence:
            "A `Date` that is not a date of RFC 9110, or is more than 5 min from the answer's `Date`.",
        expects: "The time in GMT, with hours from 00 to 23.",
        silent: "The answer has no `Date`, or was sent more than 5 min after the request.",
        cause:
            "The pattern of the date has `hh` where it needs `HH`, or the device's clock is wrong.")
    static let clearCredentials = Rule.exchange(
        "commcare.headers.credentials-in-clear", .error,
        title: "Credentials are sent through TLS only.",
        source:
            "RFC 7617, 4: Basic sends the password in clear text; CommCare Android refuses it over http (PlainTextPasswordException), ODK Collect sends Basic over https only; Diagnosis/Catalogue.md#c67.",
        evidence: "`Authorization` with Basic or Bearer over http.",
        expects: "The address of the server with https.",
        silent: "The server is on this device, in a private network or has a name for tests.")
    static let userWithoutDomain = Rule.exchange(
        "commcare.headers.user-without-domain", .warning,
        title: "The user name of Basic has the domain.",
        source:
            "CommCare Android completes names without `@` (buildDomainUser), CommCare HQ uses `user@domain.commcarehq.org`; Diagnosis/Catalogue.md#c68.",
        evidence: "A user name without `@` that was answered 401.",
        expects: "`user@domain.commcarehq.org`.",
        silent: "The server accepted the name.",
        cause: "The name is put into the header as the user typed it.")
    static let method = Rule.exchange(
        "commcare.headers.method", .error,
        title: "Forms are sent with POST and restores requested with GET.",
        source:
            "HTTPLayer/Specification.md#requests: \"Only GET and POST API calls are supported\"; CommCare HQ's receiver accepts POST, its restore GET; Diagnosis/Catalogue.md#o-r6.",
        evidence:
            "PUT, PATCH or DELETE for the path of a receiver or restore, or POST for a restore.",
        expects: "POST to the receiver, GET for the restore.")
}
