/// The scenarios for CommCare devices.
enum CommCareScenarios {
    /// All scenarios in the order in which they are played.
    static let all: [Scenario] =
        refusedForms + refusedRestores + persons + forms + restores + transport

    /// Why some rules are exercised by no scenario.
    static let reasons: [(pattern: String, reason: String)] = [
        (
            "http.retry-after-4xx",
            "it ignores requests to CommCare, which have commcare.retry.after-4xx"
        ),
        (
            "commcare.submit.attachment-dropped",
            "no scenario refuses a form that has a file; recordings of such show it"
        ),
        (
            "commcare.sync.full-again",
            "no scenario asks for four restores; the bytes of each are in the recording"
        ),
        (
            "commcare.sync.given-up",
            "ten minutes have to pass, and a person may have closed the app; what the client has to do in each scenario shows the same"
        ),
        ("http.after-close", "the server of the suite keeps connections open"),
        (
            "commcare.submit.queue-stopped-after-422",
            "a heartbeat that counts unsent forms shows it, which few devices send; the forms that are on the server at the end of form-422 show the same"
        ),
    ]

    // MARK: Expected events

    /// A form was accepted.
    static let accepted = ExpectedEvent.lines(
        "api:commcare.submit status:{201,202}", "a form that the server accepted")
    /// A restore was delivered.
    static let restored = ExpectedEvent.lines(
        "api:commcare.restore status:200", "a restore that was delivered")

    // MARK: Steps

    /// A user syncs.
    static let sync = Step.sync(isAutomatic: false)
    /// Forms `visit-1` … are submitted.
    static func visits(_ numbers: ClosedRange<Int>) -> [Step] {
        numbers.map { .submit(form: "visit-\($0).xml", attachments: []) }
    }

    /// A form is submitted.
    static func submit(_ name: String, _ attachments: String...) -> Step {
        .submit(form: "\(name).xml", attachments: attachments)
    }
}
