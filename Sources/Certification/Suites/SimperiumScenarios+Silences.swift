extension SimperiumScenarios {
    /// Silence, which takes time.
    static let silences: [Scenario] = [
        Scenario(
            "silent-server", "The server accepts heartbeats and sends nothing any more",
            asks: "Open the app, and leave it in the foreground for 155 s.",
            seed: objects(1), script: [.waitSynced, .pause(155)],
            faults: ["command:h sender:server => drop name=heartbeat-lost"], limit: 175,
            lingers: true,
            situations: [
                Situation(
                    "dead",
                    expectations: [
                        .fault("heartbeat-lost", "a heartbeat that was not answered"),
                        .either(
                            .lines(
                                "api:simperium.socket", "a second socket", count: 2),
                            // 90 s, and until the next heartbeat.
                            .lasting(
                                120, after: "command:h sender:client",
                                "a session of 120 s after the heartbeat")),
                    ],
                    rules: ["simperium.heartbeat.dead-connection"])
            ]),
        Scenario(
            "idle", "Nothing happens for more than a minute",
            asks: "Open the app, leave it in the foreground for 66 s, and make a note.",
            server: Scenario.Server(pingSeconds: 5), seed: objects(1),
            script: [
                .waitSynced, .pause(66), .set(key: "mine", data: #"{"content":"after a rest"}"#),
                .waitSynced,
            ],
            points: [
                ComparisonPoint(
                    "after a minute of rest",
                    when: .lasting(
                        60, after: "command:auth sender:server", "a session of 60 s"), steps: 1)
            ], limit: 80,
            situations: [
                Situation(
                    "idle",
                    expectations: [
                        opened,
                        .lasting(
                            62, after: "command:auth sender:server", "a session of 62 s"),
                        // Who never sends again may have been asleep.
                        changed,
                    ],
                    rules: ["simperium.heartbeat.missing"]),
                Situation(
                    "pinged",
                    expectations: [
                        .lasting(
                            // A ping after 5 s, and 20 s for its answer.
                            30, after: "api:simperium.socket status:101",
                            "a session of 30 s in which the server sends pings")
                    ],
                    rules: ["websocket.ping-unanswered"]),
                Situation(
                    "heartbeat",
                    expectations: [.lines("command:h sender:client", "a heartbeat of the client")],
                    rules: [
                        "simperium.heartbeat.late", "simperium.heartbeat.not-a-number",
                        "simperium.heartbeat.on-channel",
                    ]),
                Situation(
                    "heartbeats",
                    expectations: [
                        .lines("command:h sender:client", "a heartbeat of the client", count: 2)
                    ],
                    rules: ["simperium.heartbeat.not-incremented"]),
            ]),
    ]
}
