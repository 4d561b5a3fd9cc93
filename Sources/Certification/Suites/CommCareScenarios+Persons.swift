extension CommCareScenarios {
    /// Other users, another device, another time.
    static let persons: [Scenario] = [
        Scenario(
            "claim", "A case of another user is claimed",
            asks: """
                Log in, search for the case \(CommCareForms.theirs) and claim it. Sync only \
                where the app does by itself; after 65 s submit a form, and sync.
                """,
            seed: [submit("theirs")],
            script: [
                sync, .claim(caseID: CommCareForms.theirs), .pause(64), submit("visit-1"), sync,
            ], limit: 80, lingers: true,
            situations: [
                Situation(
                    "claimed",
                    expectations: [
                        .lines(claimed, "a claim that the server accepted"),
                        .either(
                            .lines(
                                "api:commcare.restore", "a restore afterwards", after: claimed),
                            .lines("api:commcare.submit", "a form afterwards", after: claimed)),
                    ],
                    rules: ["commcare.sync.missing-after-claim"])
            ]),
        Scenario(
            "second-user", "Another user signs in on the same device",
            asks: """
                Log in, submit a form and sync. Log in as TAPEDECK_OTHER_USER on the same \
                device, with the same password, and sync twice. Log in as the first user again, \
                and sync.
                """,
            script: [
                sync, submit("register"), sync, .signIn(user: Identity.otherUser), sync, sync,
                .signIn(user: Identity.user), sync,
            ],
            situations: [
                Situation(
                    "token",
                    expectations: [
                        restored,
                        .lines(
                            others, "a restore of the other user",
                            after: "api:commcare.restore status:200"),
                    ],
                    rules: ["commcare.sync.token-of-another-user"]),
                Situation(
                    "user-id",
                    expectations: [
                        .lines(
                            "\(others) query:*user_id=*",
                            "a second restore of the other user, with user_id",
                            after: "\(others) status:200")
                    ],
                    rules: ["commcare.sync.user-id-of-another"]),
            ]),
        Scenario(
            "second-device", "The app's data is moved to another device",
            asks: """
                Log in, submit a form and sync. Move the app's data to another device, by a \
                backup, and sync there.
                """,
            script: [
                sync, submit("register"), sync, .move(device: "certify-device-2"), sync,
                submit("update"), sync,
            ],
            situations: [
                Situation(
                    "moved",
                    expectations: [
                        .devices(
                            "api:commcare.restore", "a restore of more than one device", count: 2)
                    ],
                    rules: ["commcare.sync.token-of-another-device"])
            ]),
        Scenario(
            "long-absence", "The last sync was 64 days ago",
            asks: "Log in, and submit a form. Set the device's clock 64 days ahead, and sync.",
            script: [sync, submit("register"), .later(days: 64), sync],
            situations: [
                Situation(
                    "absent",
                    expectations: [
                        .either(
                            .lines(
                                "api:commcare.restore not query:*since=*",
                                "a full restore after the absence", after: "api:commcare.submit"),
                            .lines(
                                #"api:commcare.restore query~/days_since_last_sync=(6[4-9]|[7-9]\d|\d{3})/"#,
                                "a restore with the number of days since the last one"))
                    ],
                    rules: ["commcare.sync.token-too-old"])
            ]),
        Scenario(
            "demo", "A form is submitted in the practice mode, without credentials",
            asks: "Start the practice mode of the app, and submit a form that makes a case.",
            script: [.submit(form: "demo.xml", attachments: [], how: .demo)],
            situations: [
                Situation(
                    "demo",
                    expectations: [
                        .lines(
                            "api:commcare.submit query:*authtype=noauth*",
                            "a form without credentials")
                    ],
                    rules: ["commcare.submit.demo-user", "commcare.submit.authtype"])
            ]),
    ]

    /// A claim that was accepted.
    private static let claimed = "api:commcare.claim status:201"
    /// Restores of the other user: the beginning of the Base64 of Basic credentials with the name.
    private static let others = #"api:commcare.restore request.header.authorization:Basic\ Ym9i*"#
}
