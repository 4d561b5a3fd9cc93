import Wire

/// Rules across messages about retries.
extension CommCareSessionRules {
    /// Those of this file.
    static let retries: [Rule] = [
        retriedAtOnce, coolDown, beforeRetryAfter, notGrowing, after406, sameCredentials, after4xx,
        tooManyTries,
    ]

    /// After 429 or 503 the same kind of request is sent again at once.
    static let retriedAtOnce = Rule(
        "commcare.retry.at-once", .error,
        title: "After 429 or 503 the same kind of request is sent again at once.",
        source:
            "OpenRosa/Specification.md#rate-limits: \"the CommCare app should immediately cease any attempts "
            + "to retry the request\"; Diagnosis/Catalogue.md#c28.",
        follows: "the last 429 or 503 by kind of request",
        evidence: "a request of the same kind within two seconds",
        expects:
            "No request of this kind until a pause is over: Retry-After, or five seconds and more.",
        silent:
            "Retry-After was honoured; the answer was cut or late; the request began before it was received",
        cause: "a failed form is tried twice, or the next form of the queue is sent")

    /// After 429 or 503 the same kind of request is sent again within five seconds.
    static let coolDown = Rule(
        "commcare.retry.cool-down", .warning,
        title: "After 429 or 503 the same kind of request is sent again within five seconds.",
        source:
            "OpenRosa/Specification.md#rate-limits: \"the app should ideally enter a short cool-down period "
            + "disallowing the user from retrying the request\"; Diagnosis/Catalogue.md#c30.",
        follows: "the last 429 or 503 by kind of request",
        evidence: "a request of the same kind after two to five seconds",
        expects: "Five seconds at least before a user may try again.",
        silent:
            "Retry-After was honoured; the answer was cut or late; the request began before it was received"
    )

    /// After 429 or 503 the Retry-After of the answer is not honoured.
    static let beforeRetryAfter = Rule(
        "commcare.retry.before-retry-after", .warning,
        title: "After 429 or 503 the Retry-After of the answer is not honoured.",
        source: "RFC 9110, 10.2.3; Diagnosis/Catalogue.md#c31.",
        follows: "the last 429 or 503 by kind of request",
        evidence: "a request of the same kind half a second or more before Retry-After is over",
        expects: "No request of this kind before Retry-After is over.",
        silent:
            "Retry-After is missing or not a number; the answer was cut or late; sooner than two "
            + "seconds, which is another rule",
        cause: "only the code is used")

    /// Retries after 429 or 503 have no growing delays.
    static let notGrowing = Rule(
        "commcare.retry.not-growing", .warning, repetition: .client,
        title: "Retries after 429 or 503 have no growing delays.",
        source:
            "OpenRosa/Specification.md#rate-limits: \"the app can continue attempting the action with an "
            + "exponential back-off in delay between attempts\"; Diagnosis/Catalogue.md#c29.",
        follows: "the pauses between refusals of one kind of request in a row",
        evidence:
            "from the third try on, a pause that is not longer than the one before by half, a "
            + "fifth tolerated for jitter",
        expects: "Pauses that grow by half at least.",
        silent:
            "Retry-After was honoured; pauses of half an hour and more; the pause was too short, "
            + "which is another rule; the connection of the last try was closed meanwhile, so "
            + "that a user may have started the program again",
        cause: "a fixed interval")

    /// A request that needs an action of the user is tried again without one.
    static let after406 = Rule(
        "commcare.retry.after-406", .error,
        title: "A request that needs an action of the user is tried again without one.",
        source:
            "OpenRosa/Specification.md#code-406: \"406: The server cannot complete the request issued, and "
            + "the user needs to take a direct action\"; Diagnosis/Catalogue.md#c35.",
        follows: "the last 406 by kind of request",
        evidence:
            "the same request with the same credentials within two seconds, or the fifth within "
            + "ten seconds each, by a client that has not been restarted",
        expects: "The message for the user, and no automatic retry.",
        silent: "the first connection was closed meanwhile, so that a user may have started the "
            + "program again",
        cause: "every failed form is tried twice")

    /// After 401 the same request is sent again with the same credentials.
    static let sameCredentials = Rule(
        "commcare.retry.same-credentials", .warning,
        title: "After 401 the same request is sent again with the same credentials.",
        source: "Diagnosis/Catalogue.md#c73 (CommCare Android sends twice).",
        follows: "the last 401 by kind of request",
        evidence: "the same request with the same Authorization within a second of the answer, or "
            + "the fifth within ten seconds each, by a client that has not been restarted",
        expects: "Other credentials, or none of these requests until the user gives some.",
        silent: "the credentials changed, as with a challenge or a new token; the user may have "
            + "tried again after some seconds; the first connection was closed meanwhile",
        cause: "401 counts as a failure that may pass")

    /// A request that the server refuses as wrong is sent again at once.
    static let after4xx = Rule(
        "commcare.retry.after-4xx", .warning,
        title: "A request that the server refuses as wrong is sent again at once.",
        source:
            "HTTPLayer/Specification.md#retries: retryCount \"is needed in case of internet or server "
            + "failures\"; Diagnosis/Catalogue.md#o-r2.",
        follows: "the last 4xx by kind of request",
        evidence:
            "the same request within two seconds, or the fifth within ten seconds each, after 400, 403, 404, 405, 410, 413, 414, 415, or of "
            + "422 of another nature than processing_failure, by a client that has not been "
            + "restarted",
        expects: "No automatic retry: a wrong request stays wrong.",
        silent: "the first connection was closed meanwhile, so that a user may have started the "
            + "program again",
        cause: "the retry count is used for every status but 2xx")

    /// A request is retried more than fifteen times.
    static let tooManyTries = Rule(
        "commcare.retry.more-than-15", .warning, repetition: .topic,
        title: "A request is retried more than fifteen times.",
        source:
            "HTTPLayer/Specification.md#retries: retryCount \"The minimum acceptable value is 0 and the "
            + "maximum is 15\"; Diagnosis/Catalogue.md#o-r1.",
        follows: "identical requests that fail in a row",
        evidence: "the seventeenth try, each within ten seconds of the failure before it",
        expects: "Sixteen tries at most, then an error for the application.",
        silent: "the pauses are longer than ten seconds, as with a back-off; the connection was "
            + "closed and others opened by a new run cannot be distinguished from a retry, so that they "
            + "count",
        cause: "the retry count is not bounded")
}
