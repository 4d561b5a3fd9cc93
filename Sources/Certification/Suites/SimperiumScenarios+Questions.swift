extension SimperiumScenarios {
    /// Requests of the server to the client.
    static let questions: [Scenario] = [
        Scenario(
            "index-asked", "The server requests the client's index",
            asks: "Open the app and make a note; leave it open for 70 s.",
            seed: objects(2), script: madeAndChanged + [.pause(70)],
            faults: [
                "command:c sender:client => send 0:index first=1 name=asked",
                "command:c sender:client => send 0:o:{} first=1 name=options",
            ], limit: 90, lingers: true,
            situations: [
                Situation(
                    "asked",
                    expectations: [
                        .fault("asked", "a request for the index"),
                        .either(
                            .lines(
                                "command:index sender:client", "the client's index",
                                afterFault: "asked"),
                            .lasting(65, after: "fault:asked", "a session of 65 s afterwards")),
                    ],
                    rules: [
                        "simperium.remote.index-form", "simperium.remote.index-unanswered",
                    ])
            ]),
        Scenario(
            "log-asked", "The server requests the client's log, and then ends it",
            asks: "Open the app and make a note; change it twice, and leave it open for 7 s.",
            seed: objects(2),
            script: madeAndChanged + [
                .set(key: "mine", data: #"{"content":"one, two and three"}"#), .waitSynced,
                .pause(7),
            ],
            faults: [
                "command:c sender:client => send log:2 nth=1 name=asked",
                "command:c sender:client => send log:0 nth=2 name=ended",
            ],
            situations: [
                Situation(
                    "log",
                    expectations: [
                        .fault("asked", "a request for the log"),
                        .lines("command:log sender:client", "a log message", afterFault: "asked"),
                    ],
                    rules: [
                        "simperium.remote.log-form", "simperium.remote.log-on-channel",
                        "simperium.remote.log-missing",
                    ], isOptional: true),
                Situation(
                    "quiet",
                    expectations: [
                        .fault("ended", "the end of the log"),
                        .lasting(6, after: "fault:ended", "a session of 6 s afterwards"),
                    ],
                    rules: ["simperium.remote.log-unasked"]),
            ]),
        Scenario(
            "oddities", "The server sends what is rarely sent",
            asks: "Open the app, make a note and change it.",
            seed: objects(2), script: madeAndChanged,
            faults: [
                "command:c sender:client => send 9:c:[] nth=1 name=channel",
                "command:c sender:client => send 0:o:{\"expose_namespace\":false} nth=1 name=options",
                "command:c sender:client => send 0:zz:1 nth=1 name=unknown",
            ], limit: 60,
            situations: [
                Situation(
                    "odd",
                    expectations: [
                        .fault("options", "options of the server"),
                        .lines("sender:client", "anything from the client", afterFault: "options"),
                    ],
                    rules: [
                        "simperium.session.unknown-command", "simperium.session.bad-prefix",
                        "simperium.session.reconnect-storm",
                    ])
            ]),
    ]
}
