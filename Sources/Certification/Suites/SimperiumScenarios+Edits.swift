extension SimperiumScenarios {
    /// Changes of a client.
    static let edits: [Scenario] = [
        Scenario(
            "edits", "Objects are made, changed and removed",
            asks: "Make a note, change its text three times with pauses between, and remove it.",
            seed: objects(3),
            script: [
                .waitSynced, .set(key: "mine", data: #"{"content":"one","tags":[]}"#), .waitSynced,
                .set(key: "mine", data: #"{"content":"one and two","tags":["a"]}"#), .waitSynced,
                .set(key: "mine", data: #"{"content":"one, two and three","tags":["a"]}"#),
                .set(key: "mine", data: #"{"content":"two and three, four","tags":["a","b"]}"#),
                .waitSynced, .delete(key: "mine"), .waitSynced,
            ],
            situations: [
                Situation(
                    "changes",
                    expectations: [
                        .lines(
                            "command:c sender:client", "a change of the client",
                            count: 4),
                        .lines(
                            "command:c sender:server has:ccid", "a change that the server accepted",
                            count: 4),
                    ],
                    rules: anyChange + [
                        "simperium.session.change-before-index",
                        "simperium.change.remove-with-value",
                        "simperium.change.remove-while-pending",
                    ])
            ]),
        Scenario(
            "unicode", "Texts with characters outside the basic plane are edited",
            asks: """
                Change the text of the note unicode: put a word before and behind the flag, then \
                remove the first emoji.
                """,
            seed: [
                .set(
                    key: "unicode",
                    data: #"{"content":"a 😀 b 👩‍👩‍👧 c é 🇩🇪 d 日本語 e"}"#), .waitSynced,
            ],
            script: [
                .waitSynced,
                .set(
                    key: "unicode",
                    data: #"{"content":"a 😀 b 👩‍👩‍👧 c é before 🇩🇪 behind d 日本語 e"}"#),
                .waitSynced,
                .set(
                    key: "unicode",
                    data: #"{"content":"a  b 👩‍👩‍👧 c é before 🇩🇪 behind d 日本語 e 😃"}"#),
                .waitSynced,
                .set(
                    key: "unicode",
                    data: #"{"content":"a 😁 b 👩‍👩‍👧 c é before 🇩🇫 behind d 日本 e 😃"}"#),
                .waitSynced,
            ],
            situations: [
                Situation(
                    "changes",
                    expectations: [
                        .lines(
                            "command:c sender:client key:unicode",
                            "a change of the text by the client", count: 2)
                    ],
                    rules: anyChange + ["simperium.story.ghost-writing"])
            ]),
        Scenario(
            "fast-edits", "Many edits of one text follow each other",
            asks: "Type a sentence of some 40 words into one note without a pause.",
            seed: objects(2),
            script: [.waitSynced]
                + (1...12).map {
                    .set(
                        key: "mine",
                        data:
                            #"{"content":"\#((1...$0).map { "word\($0)" }.joined(separator: " "))"}"#
                    )
                } + [.waitSynced],
            situations: [
                Situation(
                    "changes", expectations: [changed, acknowledged],
                    rules: anyChange + ["simperium.story.stuck-key", "simperium.change.stuck-key"])
            ]),
    ]
}
