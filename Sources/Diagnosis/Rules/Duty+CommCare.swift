extension Duty {
    private typealias R = CommCareSessionRules

    /// Duties of CommCare clients.
    static let commCare: [Duty] = [
        Duty(
            R.tokenMissing, after: "a submission without a token, after a restore that issued one",
            due: "the client shows that it has the token",
            undecided: "A submission carries no sync token, and it was not seen yet whether the "
                + "client has one."),
        Duty(
            R.tokenStale, after: "a request with a token that a newer restore has replaced",
            due: "the client shows that it has the newer token",
            undecided: "A request carries a replaced sync token, and it was not seen yet whether "
                + "the client has the newer one."),
        Duty(
            R.noRecoveryAfter412, after: "412 to an incremental sync",
            due: "another request of the user, once the time is up",
            undecided: "An incremental sync was refused with 412, and no full restore was "
                + "requested yet."),
        Duty(
            R.missingAfterClaim, after: "201 to a claim",
            due: "another request of the user, once the time is up",
            undecided: "A case was claimed, and the device has not synced yet."),
        Duty(
            R.pollAbandoned, after: "202 to a restore, and Retry-After is over",
            due: "another request of the user, once three times Retry-After and the time are over",
            undecided: "A restore is being prepared, and was not requested again yet."),
        Duty(
            R.givenUp, after: "408, 425, 429, 5xx or no answer to a restore",
            due: "another request of the user, once the time is up",
            undecided:
                "A restore failed for a reason that may pass, and was not requested again yet."),
        Duty(
            R.queueStopped, after: "422 that puts a form aside, while others wait",
            due: "a heartbeat that still counts unsent forms, once the time is up",
            undecided: "A form was refused for good, and nothing followed that shows whether the "
                + "others are sent."),
        Duty(
            R.sameCredentials, after: "401", due: "the same request with the same credentials",
            undecided: "A request was refused with 401, and nothing followed that shows whether "
                + "the client asks its user for credentials."),
        Duty(
            R.forgotten, after: "a form that failed for a reason that may pass",
            due: "two new forms, once the time is up",
            undecided: "A form failed for a reason that may pass, and was not sent again yet."),
    ]
}
