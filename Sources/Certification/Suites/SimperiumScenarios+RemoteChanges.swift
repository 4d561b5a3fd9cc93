extension SimperiumScenarios {
    /// Changes of other clients while the client is connected.
    static let remoteChanges: [Scenario] = [
        Scenario(
            "remote-changes", "Another client edits the same text",
            asks: """
                Wait until the text of old-0 begins with "theirs", then put " mine" behind it; \
                wait until it ends with "again", and change the text of old-1.
                """,
            seed: objects(3),
            script: [
                .waitSynced, .waitFor(key: "old-0", data: #"{"content":"theirs note 0","n":0}"#),
                .set(key: "old-0", data: #"{"content":"theirs note 0 mine","n":0}"#), .waitSynced,
                .waitFor(key: "old-0", data: #"{"content":"theirs note 0 mine again","n":1}"#),
                .set(key: "old-1", data: #"{"content":"note 1 too","n":1}"#), .waitSynced,
            ],
            deeds: [
                Scenario.Deed(
                    when: indexed,
                    [
                        .waitSynced,
                        .set(key: "old-0", data: #"{"content":"theirs note 0","n":0}"#),
                        .waitSynced,
                    ]),
                Scenario.Deed(
                    when: changed,
                    [
                        .waitSynced,
                        .waitFor(key: "old-0", data: #"{"content":"theirs note 0 mine","n":0}"#),
                        .set(
                            key: "old-0", data: #"{"content":"theirs note 0 mine again","n":1}"#),
                        .waitSynced,
                    ]),
            ],
            situations: [
                Situation(
                    "both",
                    expectations: [
                        .lines(
                            "command:c sender:server", "changes from the server", count: 3),
                        .lines("command:c sender:client", "a change of the client", count: 2),
                    ],
                    rules: anyChange + besideOthers)
            ]),
        Scenario(
            "remote-removal", "Another client removes an object",
            asks: "Wait until old-0 is gone, then change the text of old-1.",
            seed: objects(3),
            script: [
                .waitSynced, .waitFor(key: "old-0", data: nil),
                .set(key: "old-1", data: #"{"content":"note 1 too","n":1}"#), .waitSynced,
            ],
            deeds: [
                Scenario.Deed(when: indexed, [.waitSynced, .delete(key: "old-0"), .waitSynced])
            ],
            situations: [
                Situation(
                    "removed",
                    expectations: [
                        .lines(
                            "command:c sender:server operation:-", "a removal by another client"),
                        .lines(
                            "command:c sender:client", "a change of the client",
                            after: "command:c sender:server operation:-"),
                    ],
                    rules: besideOthers + [
                        "simperium.remote.echo-of-removal", "simperium.remote.brought-back",
                        "simperium.change.remove-refused",
                    ])
            ]),
        Scenario(
            "version-gap", "A change is for a version that the client does not have",
            asks: "Leave the app open until the text of with.dots.1 has changed, or for 70 s.",
            seed: [.set(key: "with.dots.1", data: #"{"content":"dots"}"#), .waitSynced],
            script: [.waitSynced, .pause(70)],
            faults: ["command:c sender:server => version-gap by=1 nth=1 name=gap"],
            deeds: [
                Scenario.Deed(
                    when: indexed,
                    [
                        .waitSynced, .set(key: "with.dots.1", data: #"{"content":"dots, two"}"#),
                        .waitSynced, .set(key: "other", data: #"{"content":"other"}"#), .waitSynced,
                    ])
            ], limit: 90, lingers: true,
            situations: [
                Situation(
                    "gap",
                    expectations: [
                        .fault("gap", "a change for a version the client does not have"),
                        .either(
                            .lines(
                                requests("e,i,cv"),
                                "a request for the object or the index", afterFault: "gap"),
                            .lasting(65, after: "fault:gap", "a session of 65 s afterwards")),
                    ],
                    rules: [
                        "simperium.remote.not-reloaded", "simperium.index.read-again",
                    ]),
                Situation(
                    "entity",
                    expectations: [.lines("command:e sender:client", "a request for an object")],
                    rules: ["simperium.entity.*", "simperium.change.late-entity"],
                    isOptional: true),
            ]),
        Scenario(
            "malformed-delta", "The delta of a change does not fit the text",
            asks: "Leave the app open until the text of old-0 has changed, or for 70 s.",
            seed: objects(2), script: [.waitSynced, .pause(70)],
            faults: ["command:c sender:server => malformed-delta nth=1 name=broken"],
            deeds: [
                Scenario.Deed(
                    when: indexed,
                    [
                        .waitSynced, .set(key: "old-0", data: #"{"content":"the note 0","n":0}"#),
                        .waitSynced,
                    ])
            ], limit: 90, lingers: true,
            situations: [
                Situation(
                    "broken",
                    expectations: [
                        .fault("broken", "a change with a delta that does not fit"),
                        .either(
                            .lines(
                                requests("e,i,cv"),
                                "a request for the object or the index", afterFault: "broken"),
                            .lasting(65, after: "fault:broken", "a session of 65 s afterwards")),
                    ],
                    rules: ["simperium.remote.not-reloaded", "simperium.index.read-again"]),
                Situation(
                    "entity",
                    expectations: [.lines("command:e sender:client", "a request for an object")],
                    rules: ["simperium.entity.*", "simperium.change.late-entity"],
                    isOptional: true),
            ]),
        Scenario(
            "entity-unknown", "The server does not have a version that the client requests",
            asks: "Leave the app open until the text of old-0 has changed, or for 70 s.",
            seed: objects(2), script: [.waitSynced, .pause(70)],
            faults: [
                "command:c sender:server => version-gap by=1 nth=1 name=gap",
                "command:e sender:client => entity-unknown first=1 name=unknown",
            ],
            deeds: [
                Scenario.Deed(
                    when: indexed,
                    [
                        .waitSynced, .set(key: "old-0", data: #"{"content":"the note 0","n":0}"#),
                        .waitSynced,
                    ])
            ], limit: 90, lingers: true,
            situations: [
                Situation(
                    "unknown",
                    expectations: [
                        .fault("gap", "a change for a version the client does not have"),
                        .either(
                            .lines(
                                requests("e,i,cv"), "a request for the object",
                                afterFault: "gap"),
                            .lasting(65, after: "fault:gap", "a session of 65 s afterwards")),
                    ],
                    rules: ["simperium.index.read-again"]),
                Situation(
                    "entity",
                    expectations: [
                        .fault("unknown", "a request for an object that was unknown")
                    ],
                    rules: [
                        "simperium.entity.stalled", "simperium.entity.again",
                        "simperium.entity.flood", "simperium.entity.missing-removed",
                    ], isOptional: true),
            ]),
        Scenario(
            "joined-changes", "Changes are late, joined and repeated",
            asks: "Leave the app open until the text of old-0 ends with 4, then add a word to it.",
            seed: objects(2),
            script: [
                .waitSynced, .waitFor(key: "old-0", data: #"{"content":"note 0 1 2 3 4","n":0}"#),
                .set(key: "old-0", data: #"{"content":"note 0 1 2 3 4 mine","n":0}"#), .waitSynced,
            ],
            faults: [
                "command:c sender:server => repeat nth=1 name=twice",
                "command:c sender:server => compact count=2 nth=2 name=joined",
            ],
            deeds: [
                Scenario.Deed(
                    when: indexed,
                    [.waitSynced]
                        + (1...4).flatMap { count -> [Step] in
                            let text = (0...count).map(String.init).joined(separator: " ")
                            return [
                                .set(key: "old-0", data: #"{"content":"note \#(text)","n":0}"#),
                                .waitSynced,
                            ]
                        })
            ],
            situations: [
                Situation(
                    "joined",
                    expectations: [
                        .fault("twice", "a change that was sent twice"),
                        .lines("command:c sender:client", "a change of the client"),
                    ],
                    rules: besideOthers + ["simperium.index.read-again"])
            ]),
    ]
}
