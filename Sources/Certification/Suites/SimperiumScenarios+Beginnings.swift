extension SimperiumScenarios {
    /// Opening a bucket and reading its objects.
    static let beginnings: [Scenario] = [
        Scenario(
            "first-sync", "The first sync, over several pages of the index",
            asks: "Clear the app's data, log in, and wait until all 230 notes are there.",
            seed: objects(230) + [
                .set(key: "with.dots.1", data: #"{"content":"dots"}"#), .waitSynced,
            ],
            script: [.waitSynced],
            situations: [
                Situation(
                    "opening", expectations: [opened],
                    rules: [
                        "simperium.session.command-before-init", "simperium.session.init-*",
                        "simperium.session.client-id-spelling", "simperium.session.bucket-twice",
                        "simperium.session.unreadable", "simperium.session.unknown-command",
                        "simperium.session.bad-prefix", "simperium.session.wrong-direction",
                        "simperium.auth.command-before-answer", "simperium.session.bucket-grammar",
                        "simperium.session.version-as-string",
                        "simperium.session.sockjs-frame",
                    ]),
                Situation(
                    "socket",
                    expectations: [.lines("api:simperium.socket status:101", "a WebSocket")],
                    rules: ["websocket.*"],
                    except: ["websocket.ping-unanswered", "websocket.close-unanswered"]),
                Situation(
                    "request", expectations: [.lines("kind:exchange", "a request")],
                    rules: ["http.*"],
                    except: needingMore),
                Situation(
                    "closing",
                    expectations: [
                        .lines(
                            "response.header.connection:close", "an answer with Connection: close"),
                        .lines(
                            "kind:exchange", "a request after that",
                            after: "response.header.connection:close"),
                    ],
                    rules: ["http.after-close"], isOptional: true),
                Situation(
                    "index", expectations: [indexed],
                    rules: [
                        "simperium.index.limit", "simperium.index.request-form",
                        "simperium.index.mark-slot",
                    ]),
                Situation(
                    "pages",
                    expectations: [
                        indexed,
                        .either(
                            .lines(requests("i"), "a second page", count: 2),
                            .lines("command:i sender:server not body~mark", "an index in one page")),
                    ],
                    rules: [
                        "simperium.index.unfinished", "simperium.index.unknown-mark",
                        "simperium.index.page-again",
                    ]),
            ]),
        Scenario(
            "index-moved", "The bucket changes while the index is read",
            asks: "Clear the app's data, log in, and wait until all 230 notes are there.",
            seed: objects(230), script: [.waitSynced],
            faults: ["command:i sender:server => move-current nth=2 name=moved"],
            situations: [
                Situation(
                    "moved",
                    expectations: [
                        .fault("moved", "a page of the index with another current"),
                        .lines(
                            "sender:client", "anything from the client afterwards",
                            afterFault: "moved"),
                    ],
                    rules: ["simperium.index.read-again", "simperium.story.reindex-loop"])
            ]),
        Scenario(
            "auth-refused", "The token is refused",
            asks: "Log in; when the app says that it is not allowed to, log in again.",
            script: [.waitSynced, .pause(8)],
            faults: ["command:init sender:client => auth-failure 401 first=3 name=refused"],
            limit: 25, endsRefused: true,
            situations: [
                Situation(
                    "refused",
                    expectations: [
                        .fault("refused", "an init that was refused"),
                        .either(
                            .lines(
                                "command:init sender:client", "another init",
                                afterFault: "refused"),
                            closed),
                    ],
                    rules: [
                        "simperium.auth.command-after-refusal", "simperium.auth.same-token-again",
                    ])
            ]),
        Scenario(
            "auth-expired", "The token has expired",
            asks: "Log in; when the app says that the session has expired, log in again.",
            script: [.waitSynced, .pause(8)],
            faults: ["command:init sender:client => auth-expired first=3 name=expired"], limit: 25,
            endsRefused: true,
            situations: [
                Situation(
                    "expired",
                    expectations: [
                        .fault("expired", "an init with an expired token"),
                        .either(
                            .lines(
                                "command:init sender:client", "another init",
                                afterFault: "expired"),
                            closed),
                    ],
                    rules: [
                        "simperium.auth.command-after-refusal", "simperium.auth.same-token-again",
                    ])
            ]),
    ]
}
