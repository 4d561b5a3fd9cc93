import Wire

/// Rules about forms that are lost on the device.
extension CommCareSessionRules {
    /// Those of this file.
    static let owed: [Rule] = [forgotten]

    /// A form that was not accepted is never sent again.
    static let forgotten = Rule(
        "commcare.submit.forgotten", .error, repetition: .topic,
        title: "A form that was not accepted is never sent again.",
        source:
            "Diagnosis/Catalogue.md#c38; OpenRosa/Specification.md#code-201 (a form leaves the queue "
            + "when an OpenRosaResponse accepts it, or when it is refused for good).",
        follows: "each form whose last try had no answer, 408, 429, 500, 502, 503, 504, or 200 "
            + "without an OpenRosaResponse, such as the page of a captive portal",
        evidence: "a heartbeat with num_unsent_forms=0; or, where the failure was not about this "
            + "form, another form that was accepted, and two syncs after that, since forms are sent "
            + "before a sync",
        expects: "The same form again, until it is accepted or refused for good.",
        silent: "the client may not have received the answer; Retry-After is not over; it is sent "
            + "again; the recording ends before, which leaves it undecided",
        cause: "any 2xx counts as accepted, or a form leaves the queue before its answer was read")
}
