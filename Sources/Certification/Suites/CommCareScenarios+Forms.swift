extension CommCareScenarios {
    /// Forms that are accepted.
    static let forms: [Scenario] = [
        Scenario(
            "login", "The first restore, and forms about a case",
            asks: """
                Clear the app's data and log in; register a patient, update and close it; sync \
                after each form.
                """,
            // A device reads and stores a restore before it uses its token.
            script: [
                sync, .pause(2), submit("register"), sync, .pause(2), submit("update"), sync,
                .pause(2), submit("close"), sync,
            ],
            points: [
                ComparisonPoint("after the first form", when: accepted, steps: 3),
                ComparisonPoint(
                    "after the second form",
                    when: .lines(
                        "api:commcare.submit status:{201,202}",
                        "a second form that the server accepted", count: 2), steps: 6),
            ],
            situations: [
                Situation(
                    "request", expectations: [.lines("kind:exchange", "a request")],
                    rules: ["http.*"],
                    except: SimperiumScenarios.needingMore),
                Situation(
                    "restore", expectations: [restored],
                    rules: [
                        "commcare.headers.*", "commcare.sync.state-malformed",
                        "commcare.sync.state-without-since",
                    ]),
                Situation(
                    "form",
                    expectations: [.lines("api:commcare.submit", "a submission")],
                    rules: [
                        "commcare.form.*", "commcare.case.*", "commcare.headers.*",
                        "commcare.submit.authtype", "commcare.submit.field",
                        "commcare.submit.form-part-*", "commcare.submit.slash",
                        "commcare.submit.too-large",
                    ]),
                Situation(
                    "tokens",
                    expectations: [
                        restored,
                        .lines(
                            "api:commcare.submit", "a submission after a restore",
                            after: "api:commcare.restore status:200"),
                        .lines(
                            "api:commcare.restore query:*since=*", "an incremental restore",
                            after: "api:commcare.submit"),
                    ],
                    rules: [
                        "commcare.submit.token-missing", "commcare.sync.token-differs",
                        "commcare.sync.token-stale", "commcare.sync.state-hash",
                        "commcare.sync.since-without-state", "commcare.submit.resent-after-success",
                    ]),
            ]),
        Scenario(
            "attachment", "A form with a photo",
            asks: "Log in, and submit a form with a photo.",
            script: [sync, submit("photo", "photo.jpg"), sync],
            situations: [
                Situation(
                    "attachment",
                    expectations: [
                        .lines(
                            "api:commcare.submit request.header.content-type:multipart/form-data*",
                            "a submission in parts")
                    ],
                    rules: [
                        "commcare.submit.attachment-missing",
                        "commcare.submit.attachment-unreferenced", "commcare.submit.form-part-*",
                        "commcare.submit.field", "commcare.submit.too-large",
                    ])
            ]),
        Scenario(
            "queue", "Several forms wait and are sent in their order",
            asks: "Log in, switch the network off, submit three forms, switch it on, and sync.",
            script: [sync, .pause(2)] + visits(1...3) + [sync],
            situations: [
                Situation(
                    "queue",
                    expectations: [
                        .lines("api:commcare.submit", "a submission", count: 3), restored,
                    ],
                    rules: [
                        "commcare.form.out-of-order", "commcare.form.time-backwards",
                        "commcare.sync.before-forms", "commcare.form.instance-id-reused",
                        "commcare.submit.token-missing",
                    ])
            ]),
        Scenario(
            "lost-answer", "The server accepts a form, and its answer is lost",
            asks: "Log in, and submit a form; when it is not sent, wait a little and sync twice.",
            script: [sync, submit("register"), .pause(6), sync, sync],
            faults: ["api:commcare.submit => lose-answer how=reset nth=1 name=lost"],
            situations: [
                Situation(
                    "lost",
                    expectations: [
                        .fault("lost", "an answer that was lost"),
                        .lines("api:commcare.submit", "the form once more", afterFault: "lost"),
                    ],
                    rules: [
                        "commcare.form.instance-id-reused", "commcare.story.duplicate-form",
                    ])
            ]),
        Scenario(
            "captive-portal", "A hotel's network answers a form with a page in HTML",
            asks: "Log in, submit a form; when it is not sent, wait a little and sync.",
            script: [sync, submit("register"), .pause(6), sync],
            faults: [
                "api:commcare.submit => 200 type=text/html body=\"<html><body>Welcome, sign in</body></html>\" nth=1 name=portal"
            ],
            situations: [
                Situation(
                    "portal",
                    expectations: [
                        .fault("portal", "a page in place of an answer"),
                        .lines("api:commcare.submit", "the form once more", afterFault: "portal"),
                    ],
                    rules: [
                        "commcare.form.instance-id-reused", "commcare.story.duplicate-form",
                        "commcare.submit.forgotten",
                    ])
            ]),
        Scenario(
            "other-device", "Another device of the user makes a case meanwhile",
            asks: "Log in, wait 3 s, sync, submit a form, and sync.",
            script: [sync, .pause(3), sync, .pause(2), submit("register"), sync],
            deeds: [Scenario.Deed(when: restored, [submit("other")])],
            situations: [
                Situation(
                    "incremental",
                    expectations: [
                        .lines(
                            "api:commcare.restore query:*since=* status:200",
                            "an incremental restore", count: 2)
                    ],
                    rules: [
                        "commcare.sync.state-hash", "commcare.sync.token-stale",
                        "commcare.sync.token-differs",
                    ])
            ]),
    ]
}
