extension CommCareScenarios {
    /// The requirements of HTTP and OpenRosa on a device.
    static let transport: [Scenario] = [
        Scenario(
            "cookie", "The server sets a cookie",
            asks: "Clear the app's data, log in, and wait until it is done.",
            server: Scenario.Server(setsCookie: true, restorePolls: 2), script: [sync],
            situations: [
                Situation(
                    "kept",
                    expectations: [
                        .lines(cookie, "a request with the server's cookie"),
                        .lines("api:commcare.*", "a request after that", after: cookie),
                    ],
                    rules: ["http.cookie-lost", "http.cookies-ignored"]),
                Situation(
                    "ignored",
                    expectations: [
                        .lines(
                            "response.header.set-cookie:*", "an answer that sets the cookie",
                            count: 2)
                    ],
                    rules: ["http.cookies-ignored"]),
            ]),
        Scenario(
            "chunks", "A form in chunks is refused: 411",
            asks: "Log in, submit a form, and sync twice.",
            script: [
                sync, .submit(form: "register.xml", attachments: [], how: .chunked), sync, sync,
            ],
            // Once: the rules of HTTP ignore a request that a fault was about.
            faults: [
                "api:commcare.submit request.header.transfer-encoding:* => 411 nth=1 name=unsized"
            ],
            situations: [
                Situation(
                    "unsized",
                    expectations: [
                        .fault("unsized", "a form in chunks"),
                        .lines(
                            "api:commcare.*", "anything from the device afterwards",
                            afterFault: "unsized"),
                    ],
                    rules: ["http.chunked-refused"])
            ]),
        Scenario(
            "claim-cut", "A case is claimed, and the answer ends in its middle",
            asks: "Log in, and claim the case \(CommCareForms.theirs); sync.",
            seed: [submit("theirs")],
            script: [sync, .claim(caseID: CommCareForms.theirs), sync],
            faults: [
                "api:commcare.claim => 201 forwarded body=\"The case is yours\" nth=1 name=body",
                "api:commcare.claim => truncate 5 nth=1 name=cut",
            ], final: ["body"],
            situations: [
                Situation(
                    "cut",
                    expectations: [
                        .fault("cut", "a claim whose answer was cut"),
                        .lines(
                            "api:commcare.*", "anything from the device afterwards",
                            afterFault: "cut"),
                    ],
                    rules: ["http.retry-after-answer-began"])
            ]),
        Scenario(
            "openrosa", "A form is submitted as to any server of OpenRosa",
            asks: "With a client of OpenRosa, submit a form to TAPEDECK_OPENROSA_URL/submission.",
            script: [.submit(form: "openrosa.xml", attachments: [], how: .openRosa)],
            situations: [
                Situation(
                    "form",
                    expectations: [
                        .lines("api:openrosa.submit", "a submission to a server of OpenRosa")
                    ],
                    rules: ["openrosa.*"])
            ]),
    ]

    /// Requests with the cookie of the server.
    private static let cookie = "api:commcare.* request.header.cookie:*certify=*"
}
