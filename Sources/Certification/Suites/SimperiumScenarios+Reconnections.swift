extension SimperiumScenarios {
    /// Connections end, and the client reconnects.
    static let reconnections: [Scenario] = [
        Scenario(
            "reconnect", "The connection is cut between edits",
            asks: "Make a note, switch the network off and on, and change the note.",
            seed: objects(3),
            script: [
                .waitSynced, .set(key: "mine", data: #"{"content":"one"}"#), .waitSynced,
                .pause(2), .cut,
                .waitSynced, .set(key: "mine", data: #"{"content":"one and two"}"#), .waitSynced,
            ],
            points: [
                ComparisonPoint("before the connection is cut", when: acknowledged, steps: 3)
            ],
            situations: [
                Situation(
                    "again",
                    expectations: [
                        .lines(
                            "command:init sender:client", "an init on a second socket", count: 2),
                        .lines(
                            requests("cv,i"), "a request for what was missed",
                            count: 2),
                    ],
                    rules: [
                        "simperium.cv.never-issued", "simperium.cv.placeholder",
                        "simperium.session.shared-client-id",
                    ]),
                Situation(
                    "closing",
                    expectations: [
                        .lines("api:simperium.socket status:101", "a second socket", count: 2)
                    ],
                    rules: ["websocket.*", "simperium.session.no-reconnect"],
                    except: ["websocket.ping-unanswered", "websocket.close-unanswered"]),
            ]),
        Scenario(
            "server-closes", "The server closes each connection soon",
            asks: "Open the app, and leave it in the foreground until it is in sync.",
            seed: objects(3), script: [.waitSynced, .pause(3)],
            faults: ["command:init sender:client => close first=4 name=closed"], limit: 60,
            situations: [
                Situation(
                    "storm",
                    expectations: [.fault("closed", "a connection that was closed", count: 4)],
                    rules: [
                        "simperium.session.reconnect-storm", "simperium.story.reconnect-storm",
                    ])
            ]),
        Scenario(
            "service-restart", "The server closes the WebSocket, as for a restart",
            asks: "Open the app and make a note; wait until it is saved, and then 23 s.",
            seed: objects(3), script: madeAndChanged + [.pause(23)],
            faults: [
                "command:c sender:client => close-code 1012 reason=restart to=client nth=1 name=closed"
            ], limit: 60, lingers: true,
            situations: [
                Situation(
                    "handshake",
                    expectations: [
                        .fault("closed", "a close message"),
                        .lines("command:init sender:client", "another init", afterFault: "closed"),
                    ],
                    rules: [
                        "websocket.close-code", "websocket.close-payload",
                        "simperium.session.no-reconnect",
                    ]),
                Situation(
                    "answer",
                    expectations: [
                        .fault("closed", "a close message"),
                        .either(
                            closed,
                            .lasting(21, after: "fault:closed", "a session of 21 s afterwards")),
                    ],
                    rules: ["websocket.close-unanswered"]),
            ]),
        Scenario(
            "restart-in-sync", "The server closes the WebSocket of a client that is in sync",
            asks: "Open the app and make a note; leave it open for 68 s, and change the note.",
            seed: objects(3),
            script: [
                .waitSynced, .set(key: "mine", data: #"{"content":"one"}"#), .waitSynced,
                .pause(67),
                .set(key: "mine", data: #"{"content":"one and two"}"#), .waitSynced,
            ],
            faults: [
                "command:auth sender:server => close-code 1012 reason=restart to=client after=64s nth=1 name=closed"
            ],
            points: [
                ComparisonPoint(
                    "before the server closes the connection", when: acknowledged, steps: 3)
            ], limit: 90,
            situations: [
                Situation(
                    "missed",
                    expectations: [
                        .fault("closed", "a close message"),
                        .lines(
                            requests("cv,i"), "a request for what was missed",
                            afterFault: "closed"),
                    ],
                    rules: [
                        "simperium.index.instead-of-cv", "simperium.session.no-reconnect",
                        "simperium.cv.not-advanced",
                    ])
            ]),
        Scenario(
            "lost-acknowledgement", "The server accepts a change, and its acknowledgement is lost",
            asks: "Make a note; switch the network off and on; wait until the note is saved.",
            seed: objects(3),
            script: madeAndChanged + [.pause(2)],
            faults: [
                "command:c sender:server has:ccid => drop close nth=2 name=lost"
            ], limit: 60,
            situations: [
                Situation(
                    "lost",
                    expectations: [
                        .fault("lost", "an acknowledgement that was lost"),
                        .lines("command:init sender:client", "another init", afterFault: "lost"),
                        .either(
                            .lines(
                                "command:c sender:client", "the change once more",
                                afterFault: "lost"),
                            .lines(
                                "command:{cv,c} sender:server", "what was missed",
                                afterFault: "lost")),
                    ],
                    rules: [
                        "simperium.session.resend-before-cv", "simperium.session.client-id-changed",
                        "simperium.change.never-resent", "simperium.change.forgotten",
                        "simperium.change.duplicate-edit", "simperium.diff.repeats-insert",
                        "simperium.change.resend-under-new-ccid",
                        "simperium.change.ccid-with-other-content", "simperium.change.ccid-reused",
                        "simperium.story.double-text", "simperium.story.lost-edit",
                    ])
            ]),
        Scenario(
            "lost-change", "A change is lost on its way to the server, with its connection",
            asks: "Make a note; switch the network off and on; wait until the note is saved.",
            seed: objects(3),
            script: madeAndChanged + [
                .set(key: "another", data: #"{"content":"goes on"}"#), .waitSynced, .pause(2),
            ],
            faults: ["command:c sender:client => drop close nth=2 name=lost"], limit: 60,
            situations: [
                Situation(
                    "lost",
                    expectations: [
                        .fault("lost", "a change that was lost"),
                        .lines("command:init sender:client", "another init", afterFault: "lost"),
                        .either(
                            .lines(
                                "command:c sender:client key:mine", "the change once more",
                                afterFault: "lost"),
                            .lines(
                                "command:c sender:client", "another change afterwards",
                                afterFault: "lost")),
                    ],
                    rules: [
                        "simperium.session.resend-before-cv", "simperium.session.client-id-changed",
                        "simperium.change.never-resent",
                        "simperium.change.ccid-with-other-content", "simperium.change.ccid-reused",
                        "simperium.story.lost-edit",
                    ])
            ]),
        Scenario(
            "cv-unknown", "The server does not know the client's cv any more",
            asks: """
                Open the app, wait until it is in sync, switch the network off and on, and make a \
                note.
                """,
            seed: objects(3),
            script: [
                .waitSynced, .cut, .waitSynced, .pause(1),
                .set(key: "mine", data: #"{"content":"one"}"#), .waitSynced, .pause(70),
            ],
            faults: [
                "command:cv sender:client => cv-unknown first=1 name=unknown"
            ], limit: 90, lingers: true,
            situations: [
                Situation(
                    "unknown",
                    expectations: [
                        .fault("unknown", "a cv that was unknown"),
                        .lines(
                            "command:c sender:client", "a change of the client afterwards",
                            after: forgotten),
                        .either(
                            .lines(requests("i"), "a request for the index", after: forgotten),
                            .lasting(65, after: forgotten, "a session of 65 s afterwards")),
                    ],
                    rules: [
                        "simperium.cv.unknown-ignored", "simperium.cv.unknown-repeated",
                        "simperium.story.reindex-loop",
                    ])
            ]),
        Scenario(
            "offline-edits", "Edits are made without a connection, while others edit",
            asks: """
                Switch the network off, make a note, change the text of old-0 and remove old-1; \
                wait 3 s, and switch the network on.
                """,
            seed: objects(4),
            script: [
                .waitSynced, .offline, .set(key: "mine", data: #"{"content":"made offline"}"#),
                .set(key: "old-0", data: #"{"content":"note 0, offline","n":0}"#),
                .delete(key: "old-1"), .pause(3), .online, .waitSynced,
            ],
            deeds: [
                Scenario.Deed(
                    when: indexed,
                    [
                        .waitSynced, .set(key: "old-0", data: #"{"content":"a note 0","n":0}"#),
                        .set(key: "old-2", data: #"{"content":"note 2","n":22}"#), .waitSynced,
                    ])
            ],
            points: [ComparisonPoint("while the client is offline", when: closed, steps: 2)],
            merged: ["old-0": #"{"content":"a note 0, offline","n":0}"#],
            situations: [
                Situation(
                    "back",
                    expectations: [
                        .lines(
                            "command:init sender:client", "an init on a second socket", count: 2),
                        .lines("command:c sender:client", "a change of the client", count: 3),
                    ],
                    rules: [
                        "simperium.session.change-before-index"
                    ] + besideOthers)
            ]),
    ]

    /// The client's cv was unknown.
    private static let forgotten = "fault:unknown"
}
