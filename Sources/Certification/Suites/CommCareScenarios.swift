/// What CommCare devices are led through.
enum CommCareScenarios {
    /// All scenarios in the order in which they are played.
    static let all: [Scenario] = refusedForms + refusedRestores + forms + restores

    /// Why some rules are looked at by no scenario.
    static let reasons: [(pattern: String, reason: String)] = [
        ("http.cookie*", "the server sets no cookies"),
        ("http.chunked-refused", "the server refuses no content because it is chunked"),
        (
            "http.retry-after-answer-began",
            "no answer to a request that changes something ends in its middle"
        ),
        ("openrosa.*", "the suite is for the CommCare profile, and the server speaks no other"),
        ("commcare.sync.missing-after-claim", "the server has no case search to claim from"),
        ("commcare.sync.token-too-old", "no token gets 63 days old in a scenario"),
        (
            "commcare.sync.token-of-another-user",
            "one user is signed in; a second one would have to sign in on the same device"
        ),
        (
            "commcare.sync.user-id-of-another",
            "one user is signed in; a second one would have to sign in on the same device"
        ),
        (
            "commcare.sync.token-of-another-device",
            "one device is led; a second one would have to have the token of the first"
        ),
        ("commcare.submit.demo-user", "the demo user does not sync with a server"),
    ]

    // MARK: Signs

    /// A form was taken.
    static let accepted = Sign.lines(
        "api:commcare.submit status:{201,202}", "a form that the server took")
    /// A restore was given.
    static let restored = Sign.lines(
        "api:commcare.restore status:200", "a restore that was given")

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
