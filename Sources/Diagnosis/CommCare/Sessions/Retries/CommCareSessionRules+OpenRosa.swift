import Wire

/// Rules across messages about OpenRosa servers.
extension CommCareSessionRules {
    /// Those of this file.
    static let openRosa: [Rule] = [noHead, headNot204]

    /// A form is submitted without a HEAD before.
    static let noHead = Rule(
        "openrosa.submit.no-head", .info, repetition: .client,
        title: "A form is submitted without a HEAD before.",
        source:
            "OpenRosa/Specification.md#openrosa-submissions: a HEAD request comes first; Diagnosis/Catalogue.md#c74.",
        follows: "HEAD requests of a client to the submission URL of a server",
        evidence: "the first submission without one",
        expects: "HEAD on the submission URL, answered with 204.",
        silent: "only information, as ODK Collect remembers the answer and the HEAD may have come "
            + "before the capture")

    /// HEAD on a submission URL is not answered with 204.
    static let headNot204 = Rule(
        "openrosa.server.head-not-204", .warning, blames: .server, repetition: .topic,
        title: "HEAD on a submission URL is not answered with 204.",
        source:
            "OpenRosa/Specification.md#openrosa-submissions: 204 to HEAD; Diagnosis/Catalogue.md#c74 (ODK Collect asks \"Is this "
            + "an OpenRosa submission endpoint?\").",
        follows: "one exchange",
        evidence: "a status other than 204, 401, 403 or 429 and 5xx to HEAD",
        expects: "204 with X-OpenRosa-Version and X-OpenRosa-Accept-Content-Length.",
        silent: "Tapedeck touched the exchange; redirects")
}
