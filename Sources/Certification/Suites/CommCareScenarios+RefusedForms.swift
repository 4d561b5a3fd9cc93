extension CommCareScenarios {
    /// Forms that are refused.
    static let refusedForms: [Scenario] = [
        Scenario(
            "form-503", "Two submissions are answered with 503, without Retry-After",
            asks: """
                Log in, and submit a form; sync after 8 s, and again after 12 s, until it is sent.
                """,
            script: [sync, submit("register"), .pause(8), sync, .pause(12), sync, sync],
            faults: [
                "api:commcare.submit => 503 first=2 name=busy",
                "api:commcare.submit status:503 => remove-header Retry-After name=without",
            ], limit: 60,
            situations: [
                Situation(
                    "busy",
                    expectations: [
                        .fault("busy", "a submission that was answered with 503"),
                        .lines("api:commcare.submit", "the form once more", afterFault: "busy"),
                    ],
                    rules: [
                        "commcare.retry.at-once", "commcare.retry.cool-down",
                        "commcare.retry.more-than-15", "commcare.story.retry-storm",
                        "commcare.sync.before-forms",
                    ]),
                Situation(
                    "growing",
                    expectations: [
                        .fault("busy", "a submission that was answered with 503", count: 2),
                        .lines(
                            "api:commcare.submit", "the form once more", count: 2,
                            afterFault: "busy"),
                    ], rules: ["commcare.retry.not-growing"]),
            ]),
        Scenario(
            "form-429", "A submission is answered with 429 and Retry-After",
            asks: "Log in, and submit a form; after 8 s sync until it is sent.",
            script: [sync, submit("register"), .pause(8), sync],
            faults: ["api:commcare.submit => 429 retry-after=6 first=1 name=limited"],
            situations: [
                Situation(
                    "limited",
                    expectations: [
                        .fault("limited", "a submission that was answered with 429"),
                        .lines("api:commcare.submit", "the form once more", afterFault: "limited"),
                    ],
                    rules: [
                        "commcare.retry.before-retry-after", "commcare.retry.at-once",
                        "commcare.retry.cool-down", "commcare.story.retry-storm",
                    ])
            ]),
        Scenario(
            "form-422", "One of three forms is refused for good",
            asks:
                "Log in, switch the network off, submit three forms, switch it on, and sync twice.",
            script: [sync] + visits(1...3) + [sync, sync],
            faults: ["api:commcare.submit => 422 nth=1 name=refused"],
            unstored: ["visit-1.xml"],
            situations: [
                Situation(
                    "refused",
                    expectations: [
                        .fault("refused", "a form that was refused"),
                        .lines(
                            "api:commcare.*", "anything from the device afterwards",
                            afterFault: "refused"),
                    ],
                    rules: [
                        "commcare.submit.resent-after-422",
                        "commcare.story.head-of-line", "commcare.sync.before-forms",
                    ])
            ]),
        Scenario(
            "form-400", "A form is answered with 400",
            asks: "Log in, submit a form, then another one, and sync twice.",
            script: [sync, submit("visit-1"), submit("visit-2"), sync, sync],
            faults: ["api:commcare.submit => 400 nth=1 name=refused"],
            unstored: ["visit-1.xml"], final: ["refused"],
            situations: [
                Situation(
                    "refused",
                    expectations: [
                        .fault("refused", "a form that was refused"),
                        .lines(
                            "api:commcare.*", "anything from the device afterwards",
                            afterFault: "refused"),
                    ],
                    rules: ["commcare.retry.after-4xx"])
            ]),
        Scenario(
            "form-422-other", "A form is answered with 422 that does not refuse it for good",
            asks: "Log in, submit a form; when it is not sent, wait 8 s and sync.",
            script: [sync, submit("register"), .pause(8), sync],
            faults: [
                "api:commcare.submit => 422 type=text/plain body=\"Try later\" nth=1 name=refused"
            ],
            situations: [
                Situation(
                    "refused",
                    expectations: [
                        .fault("refused", "a form that was answered with 422"),
                        .lines("api:commcare.submit", "the form once more", afterFault: "refused"),
                    ],
                    rules: ["commcare.retry.after-4xx"])
            ]),
        Scenario(
            "form-406", "A submission is answered with 406: the user has to act",
            asks: "Log in, submit a form, and do nothing for 5 s; then sync.",
            script: [
                sync, submit("register"), .sync(isAutomatic: true), .pause(5), sync,
            ],
            faults: ["api:commcare.submit => 406 first=1 name=refused"],
            situations: [
                Situation(
                    "refused",
                    expectations: [
                        .fault("refused", "a submission that was answered with 406"),
                        .lines(
                            "api:commcare.*", "anything from the device afterwards",
                            afterFault: "refused"),
                    ],
                    rules: ["commcare.retry.after-406"])
            ]),
        Scenario(
            "form-401", "Two submissions are answered with 401",
            asks: """
                Log in, submit a form; sign in again when asked, and sync; after 12 s sign in and \
                sync once more.
                """,
            script: [sync, submit("register"), .pause(5), sync, .pause(12), sync],
            faults: ["api:commcare.submit => 401 first=2 name=refused"],
            situations: [
                Situation(
                    "refused",
                    // The third request with the same credentials is one too many.
                    expectations: [
                        .fault("refused", "a submission that was answered with 401", count: 2),
                        .lines(
                            "api:commcare.*", "anything from the device afterwards",
                            afterFault: "refused"),
                    ],
                    rules: ["commcare.retry.same-credentials"])
            ]),
        Scenario(
            "form-500", "A submission is answered with 500",
            asks: "Log in, submit a form; when it is not sent, wait 8 s and sync.",
            script: [sync, submit("register"), .pause(8), sync],
            faults: ["api:commcare.submit => 500 nth=1 name=broken"],
            situations: [
                Situation(
                    "broken",
                    expectations: [
                        .fault("broken", "a submission that was answered with 500"),
                        .lines("api:commcare.submit", "the form once more", afterFault: "broken"),
                    ],
                    rules: [
                        "commcare.form.instance-id-reused", "commcare.story.duplicate-form",
                        "commcare.story.retry-storm",
                    ])
            ]),
        Scenario(
            "form-413", "A form is too large for the server",
            asks: "Log in, submit a form with a photo, then another form, and sync.",
            script: [sync, submit("photo", "photo.jpg"), submit("visit-1"), sync],
            faults: ["api:commcare.submit => 413 nth=1 name=refused"],
            unstored: ["photo.xml"], final: ["refused"],
            situations: [
                Situation(
                    "refused",
                    expectations: [
                        .fault("refused", "a form that was refused"),
                        .lines(
                            "api:commcare.*", "anything from the device afterwards",
                            afterFault: "refused"),
                    ],
                    rules: ["commcare.retry.after-4xx"])
            ]),
    ]
}
