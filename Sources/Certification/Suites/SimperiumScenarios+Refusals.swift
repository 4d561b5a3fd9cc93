extension SimperiumScenarios {
    /// A change is refused, once for each code, and the client continues with other changes.
    static let refusals: [Scenario] =
        [
            refusal(400, "a bad request", rules: ["resend-after-400"]),
            refusal(401, "not permitted", rules: ["same-token-after-401"]),
            refusal(404, "no such object", rules: ["diff-after-404", "not-sent-whole"]),
            refusal(
                405, "a version that does not exist",
                rules: ["diff-after-405", "data-differs", "wrapped-data"]),
            refusal(
                409, "a duplicate", isFinal: true,
                rules: ["resend-after-409"], recoveries: ["no-cv-after-409"]),
            refusal(
                412, "nothing changes", isFinal: true, rules: ["resend-after-412"]),
            refusal(
                413, "too large", then: "two", rules: ["resend-after-413"]),
            refusal(417, "the object is not as expected", rules: ["not-sent-whole"]),
            refusal(
                440, "a diff that does not fit",
                rules: ["diff-after-440", "data-differs", "wrapped-data"]),
        ] + [overload, storm]

    /// A refusal with this code, after which the text becomes `text`.
    ///
    /// Where the object was too large, that is a shorter one. Where it is `isFinal`, the refusal says
    /// what is not so, and nothing recovers what was refused. The rules of `recoveries` are about
    /// requests that follow.
    private static func refusal(
        _ code: Int, _ title: String, isFinal: Bool = false,
        then text: String = "one, two and three", rules: [String], recoveries: [String] = []
    ) -> Scenario {
        Scenario(
            "refused-\(code)", "A change is refused with \(code): \(title)",
            asks: """
                Make a note, wait until it is saved, change its text, wait 5 s, change it to \
                "\(text)", and make another note.
                """,
            seed: objects(1),
            script: madeAndChanged + [
                .set(key: "mine", data: #"{"content":"\#(text)"}"#), .waitSynced,
                .set(key: "another", data: #"{"content":"goes on"}"#), .waitSynced,
            ],
            faults: ["command:c sender:client => error \(code) nth=2 name=refused"], limit: 60,
            final: isFinal ? ["refused"] : [],
            situations: [
                Situation(
                    "refused",
                    expectations: [
                        .fault("refused", "a change of the client that was refused"),
                        .lines(
                            requests("c,cv,e,i"),
                            "anything from the client afterwards", afterFault: "refused"),
                    ],
                    rules: rules.map { "simperium.change.\($0)" } + afterRefusal)
            ]
                + (recoveries.isEmpty
                    ? []
                    : [
                        Situation(
                            "recovery",
                            expectations: [
                                .fault("refused", "a change of the client that was refused"),
                                .lines(
                                    requests("cv,e,i"),
                                    "a request for what was missed",
                                    afterFault: "refused"),
                            ], rules: recoveries.map { "simperium.change.\($0)" })
                    ]))
    }

    /// The server has more to do than it can.
    private static let overload = Scenario(
        "overloaded", "Three changes in a row are refused with 503",
        asks: "Make a note, wait until it is saved, and change its text; leave the app open.",
        seed: objects(1), script: madeAndChanged,
        faults: [
            "command:c sender:client => error 503 nth=2,3,4 name=overloaded"
        ], limit: 60,
        situations: [
            Situation(
                "overloaded",
                expectations: [
                    .fault("overloaded", "a change of the client that was refused"),
                    .lines(
                        "command:c sender:client", "a change of the client afterwards",
                        afterFault: "overloaded"),
                ],
                rules: [
                    "simperium.change.retry-at-once", "simperium.change.rate",
                    "simperium.change.ccid-with-other-content", "simperium.story.stuck-key",
                ])
        ])

    /// All changes are duplicates for a while.
    private static let storm = Scenario(
        "duplicates", "The server calls three changes of one object duplicates",
        asks: "Make a note, wait until it is saved, and change its text three times.",
        seed: objects(1),
        script: madeAndChanged + [
            .set(key: "mine", data: #"{"content":"two"}"#), .waitSynced,
            .set(key: "mine", data: #"{"content":"three"}"#), .waitSynced,
        ],
        faults: [
            "command:c sender:client => error 409 nth=2,3,4 forwarded name=duplicate"
        ], limit: 60,
        situations: [
            Situation(
                "duplicates",
                expectations: [
                    .fault("duplicate", "a change that was a duplicate"),
                    .lines(
                        requests("c,cv,e,i"),
                        "anything from the client afterwards", afterFault: "duplicate"),
                ],
                rules: ["simperium.change.resend-after-409", "simperium.story.409-storm"])
        ])
}
