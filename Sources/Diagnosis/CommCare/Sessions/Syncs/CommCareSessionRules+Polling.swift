import Wire

/// Rules across messages about 202.
extension CommCareSessionRules {
    /// Those of this file.
    static let polling: [Rule] = [
        polledEarly, polledLate, pollAbandoned, polledWithoutEnd, progressBackwards, progressStuck,
        formDuringRestore,
    ]

    /// A restore that is being prepared is requested before Retry-After.
    static let polledEarly = Rule(
        "commcare.sync.polled-early", .error,
        title: "A restore that is being prepared is requested before Retry-After.",
        source:
            "OpenRosa/Specification.md#code-202: \"Retry-After with an integer value describing amount of "
            + "time (in seconds) that the client should wait before re-submitting the request\"; "
            + "Diagnosis/Catalogue.md#c16.",
        follows: "the last 202 of the user of the device",
        evidence: "the next restore request, half a second or more before Retry-After is over",
        expects: "The same request after Retry-After seconds.",
        silent:
            "Retry-After is missing or not a number; the 202 was cut or late; the request began "
            + "before it was received",
        cause: "a fixed interval, or milliseconds taken for seconds")

    /// A restore that is being prepared is requested long after Retry-After.
    static let polledLate = Rule(
        "commcare.sync.polled-late", .warning,
        title: "A restore that is being prepared is requested long after Retry-After.",
        source: "OpenRosa/Specification.md#code-202: \"simply when the client should next poll\"; "
            + "Diagnosis/Catalogue.md#c17.",
        follows: "the last 202 of the user of the device",
        evidence:
            "the next restore request after more than three times Retry-After and two minutes "
            + "over it",
        expects: "The same request soon after Retry-After seconds.",
        minimumNanoseconds: 120_000_000_000,
        silent: "Tapedeck did something to the traffic meanwhile; Retry-After is missing or no "
            + "number",
        cause: "the answer is kept for an hour at most, so that the work is done again")

    /// A restore that is being prepared is never requested again.
    static let pollAbandoned = Rule(
        "commcare.sync.poll-abandoned", .warning,
        title: "A restore that is being prepared is never requested again.",
        source:
            "OpenRosa/Specification.md#code-202: \"the request should be retried later\"; Diagnosis/Catalogue.md#c17.",
        follows: "the last 202 of the user of the device",
        evidence: "another request of the user, more than three times Retry-After and two minutes "
            + "after the 202, and no restore between",
        expects: "The same request after Retry-After seconds.",
        deadlineNanoseconds: 120_000_000_000,
        silent: "the client sends nothing more, as it may have been closed; Tapedeck did something "
            + "to the traffic meanwhile",
        cause: "202 is taken for success like any other 2xx")

    /// A restore that is never ready is requested without end.
    static let polledWithoutEnd = Rule(
        "commcare.sync.polled-without-end", .warning,
        title: "A restore that is never ready is requested without end.",
        source: "Diagnosis/Catalogue.md#c22 (CommCare Android has no bound).",
        follows: "the 202s in a row",
        evidence: "more than 240 polls, or an hour of them",
        expects: "A bound on polls and time, after which the user is informed.",
        silent: "the 202s were not all seen",
        cause: "each 202 calls the sync again")

    /// The progress of a restore goes backwards.
    static let progressBackwards = Rule(
        "commcare.server.progress-backwards", .info, blames: .server, repetition: .topic,
        title: "The progress of a restore goes backwards.",
        source: "Diagnosis/Catalogue.md#c21.",
        follows: "done of the 202s in a row",
        evidence: "done is less than in the answer before",
        expects: "Progress that does not decrease.",
        silent: "Tapedeck made or changed one of the answers")

    /// The progress of a restore does not change.
    static let progressStuck = Rule(
        "commcare.server.progress-stuck", .info, blames: .server, repetition: .topic,
        title: "The progress of a restore does not change.",
        source: "Diagnosis/Catalogue.md#c21.",
        follows: "done of the 202s in a row",
        evidence: "ten answers in a row with the same done",
        expects: "Progress, or an error with the reason.",
        silent: "Tapedeck made or changed one of the answers")

    /// A form is submitted while a restore is being prepared.
    static let formDuringRestore = Rule(
        "commcare.submit.during-pending-restore", .info, repetition: .topic,
        title: "A form is submitted while a restore is being prepared.",
        source: "Diagnosis/Catalogue.md#c88 (CommCare HQ drops the restore and begins again).",
        follows: "the last 202 of the user of the device",
        evidence: "a submission with the sync token between two polls",
        expects: "Forms first, then the restore.",
        silent: "the submission has no sync token, so that it changes nothing")
}
