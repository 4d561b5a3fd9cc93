extension SimperiumScenarios {
    /// Asking for a token, and ways to connect.
    static let connecting: [Scenario] = [
        Scenario(
            "token-refused", "The auth API refuses the user: 403",
            asks: "Log in with user and password; when that is refused, do nothing for 5 s.",
            script: [.waitSynced], faults: ["api:simperium.auth => 403 nth=1 name=refused"],
            limit: 25, endsRefused: true,
            situations: [
                Situation(
                    "refused", expectations: [.fault("refused", "a request for a token")],
                    rules: ["http.retry-after-4xx"], isOptional: true)
            ]),
        Scenario(
            "token-cut", "The answer of the auth API ends in its middle",
            asks: "Log in with user and password; when that fails, do nothing for 5 s.",
            script: [.waitSynced], faults: ["api:simperium.auth => truncate 10 nth=1 name=cut"],
            limit: 25, endsRefused: true,
            situations: [
                Situation(
                    "cut", expectations: [.fault("cut", "a request for a token")],
                    rules: ["http.retry-after-answer-began"], isOptional: true)
            ]),
        Scenario(
            "token-chunks", "A request for a token in chunks is refused: 411",
            asks: "Log in with user and password.",
            script: [.waitSynced],
            faults: [
                "api:simperium.auth request.header.transfer-encoding:* => 411 nth=1 name=unsized"
            ], limit: 25, endsRefused: true,
            situations: [
                Situation(
                    "unsized", expectations: [.fault("unsized", "a request for a token in chunks")],
                    rules: ["http.chunked-refused"], isOptional: true)
            ]),
        Scenario(
            "sockjs", "Commands travel in the frames of SockJS",
            asks: "Open the app with SockJS, where it can, and make a note.",
            seed: objects(2), script: [.sockJS] + madeAndChanged,
            situations: [
                Situation(
                    "framed",
                    expectations: [
                        .lines(
                            "api:simperium.socket path:/sock/1/*/*/*/websocket",
                            "a socket with SockJS"),
                        changed,
                    ],
                    rules: ["simperium.session.sockjs-frame"])
            ]),
    ]
}
