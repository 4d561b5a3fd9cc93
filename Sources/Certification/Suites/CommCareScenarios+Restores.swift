extension CommCareScenarios {
    /// Restores that are delivered, sooner or later.
    static let restores: [Scenario] = [
        Scenario(
            "restore-202", "The restore is made in the background: 202 three times",
            asks: "Clear the app's data, log in, and wait until it is done.",
            script: [sync],
            faults: ["api:commcare.restore => 202 retry-after=2 first=3 name=pending"], limit: 60,
            situations: [
                Situation(
                    "pending",
                    expectations: [
                        .fault("pending", "a restore that was answered with 202"),
                        .either(
                            .lines(
                                "api:commcare.restore", "the restore once more",
                                afterFault: "pending"),
                            .lasting(
                                30, after: "api:commcare.restore status:202",
                                "a session of 30 s afterwards")),
                    ],
                    rules: ["commcare.sync.poll-abandoned"]),
                Situation(
                    "polled",
                    expectations: [
                        .fault("pending", "a restore that was answered with 202"),
                        .lines(
                            "api:commcare.restore", "the restore once more", afterFault: "pending"),
                    ],
                    rules: [
                        "commcare.sync.polled-early", "commcare.sync.polled-late",
                        "commcare.sync.polled-without-end", "commcare.story.restore-poll-loop",
                    ]),
            ]),
        Scenario(
            "form-while-202", "A form is submitted while the restore is being made",
            asks: "Log in; sync, and submit a form while the device waits for the server.",
            script: [sync, sync, submit("register"), sync],
            faults: ["api:commcare.restore => 202 retry-after=1 nth=2,3 name=pending"], limit: 60,
            situations: [
                Situation(
                    "pending",
                    expectations: [
                        .fault("pending", "a restore that was answered with 202"), accepted,
                    ],
                    rules: ["commcare.submit.during-pending-restore"])
            ]),
        Scenario(
            "cut-restore", "A restore is cut in the middle, and one ends in the middle of its XML",
            asks:
                "Log in; when that fails, wait a little and sync until it is done; submit a form.",
            seed: visits(1...5),
            script: [
                sync, .pause(6), sync, .pause(6), sync, .pause(2), submit("register"), sync,
            ],
            faults: [
                "api:commcare.restore => truncate 400 nth=1 name=cut",
                "api:commcare.restore => cut-xml nth=2 name=half",
            ], limit: 60,
            situations: [
                Situation(
                    "cut",
                    expectations: [
                        .fault("cut", "a restore that was cut"),
                        .lines("api:commcare.restore", "a restore afterwards", afterFault: "cut"),
                        .lines("api:commcare.submit", "a submission", afterFault: "cut"),
                    ],
                    rules: [
                        "commcare.sync.token-stale", "commcare.submit.token-missing",
                        "commcare.sync.token-of-broken-restore",
                    ])
            ]),
    ]

    /// Restores that are refused.
    static let refusedRestores: [Scenario] = [
        Scenario(
            "restore-412", "The sync token is refused: 412",
            asks: "Log in, submit a form, sync, and sync again.",
            script: [sync, submit("register"), sync, .pause(2), sync],
            faults: [
                "api:commcare.restore query:*since=* => 412 first=1 name=refused"
            ],
            situations: [
                Situation(
                    "refused",
                    expectations: [
                        .fault("refused", "an incremental restore that was refused"),
                        .lines(
                            "api:commcare.*", "anything from the device afterwards",
                            afterFault: "refused"),
                    ],
                    rules: [
                        "commcare.sync.incremental-after-412",
                        "commcare.sync.no-recovery-after-412",
                        "commcare.sync.full-repeated-after-412",
                        "commcare.sync.recovery-skips-fixtures", "commcare.story.412-loop",
                    ])
            ]),
        Scenario(
            "restore-503", "Restores are answered with 503, and then with 429",
            asks: "Log in; when the server is busy, sync after 8 s, and again after 14 s.",
            script: [sync, .pause(8), sync, .pause(14), sync],
            faults: [
                "api:commcare.restore => 503 nth=1 name=busy",
                "api:commcare.restore status:503 => remove-header Retry-After name=without",
                "api:commcare.restore => 429 retry-after=4 nth=2 name=limited",
            ], limit: 60,
            situations: [
                Situation(
                    "busy",
                    expectations: [
                        .fault("busy", "a restore that was answered with 503"),
                        .lines("api:commcare.restore", "a restore afterwards", afterFault: "busy"),
                    ],
                    rules: [
                        "commcare.retry.at-once", "commcare.retry.cool-down",
                        "commcare.story.retry-storm",
                    ]),
                Situation(
                    "limited",
                    expectations: [
                        .fault("limited", "a restore that was answered with 429"),
                        .lines(
                            "api:commcare.restore", "a restore afterwards", afterFault: "limited"),
                    ],
                    rules: ["commcare.retry.before-retry-after"]),
            ]),
        Scenario(
            "restore-406", "A restore is answered with 406: the account was deactivated",
            asks: "Log in, sync, and do nothing for 5 s; then sync again.",
            script: [sync, sync, .sync(isAutomatic: true), .pause(5), sync],
            faults: ["api:commcare.restore => 406 key=user.deactivated nth=2 name=refused"],
            situations: [
                Situation(
                    "refused",
                    expectations: [
                        .fault("refused", "a restore that was answered with 406"),
                        .lines(
                            "api:commcare.*", "anything from the device afterwards",
                            afterFault: "refused"),
                    ],
                    rules: ["commcare.retry.after-406"])
            ]),
        Scenario(
            "restore-401", "Two restores are answered with 401",
            asks: "Log in; sign in again when asked, and after 12 s once more.",
            script: [sync, .pause(5), sync, .pause(12), sync],
            faults: ["api:commcare.restore => 401 first=2 name=refused"],
            situations: [
                Situation(
                    "refused",
                    expectations: [
                        .fault("refused", "a restore that was answered with 401", count: 2),
                        .lines(
                            "api:commcare.*", "anything from the device afterwards",
                            afterFault: "refused"),
                    ],
                    rules: ["commcare.retry.same-credentials"])
            ]),
    ]
}
