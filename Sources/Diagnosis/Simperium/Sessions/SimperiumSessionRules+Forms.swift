import Wire

extension SimperiumSessionRules {
    static let forms: [Rule] = [
        unknownCommand, badPrefix, wrongDirection, sockJSFrame, unreadable, versionAsString,
    ]

    static let unknownCommand = Rule(
        "simperium.session.unknown-command", .error, repetition: .client,
        title: "Clients send init, i, e, cv, c, h, index and log, and nothing else.",
        source:
            "\"The available commands are\" (Simperium/Specification.md#messages); Diagnosis/Catalogue.md#r60.",
        follows: "Nothing.",
        evidence: "A message that is not a command, or a command that no specification has.",
        expects: "CHANNEL:COMMAND:PAYLOAD with one of these commands.",
        silent: "The text was cut, or is a frame of SockJS.")

    static let badPrefix = Rule(
        "simperium.session.bad-prefix", .error, repetition: .client,
        title: "A command of a channel begins with the number of the channel.",
        source:
            "\"Commands are sent over the WebSocket and can be prefixed with an integer\" (Simperium/Specification.md#connecting); Diagnosis/Catalogue.md#r60.",
        follows: "Nothing.",
        evidence: "init, i, e, cv, c or index without a number, or with one that is too large.",
        expects: "CHANNEL:COMMAND:PAYLOAD", silent: "The text was cut.")

    static let wrongDirection = Rule(
        "simperium.session.wrong-direction", .error, repetition: .client,
        title: "Clients do not send what only servers send.",
        source:
            "\"index - sent from server to client\", \"log - sent from server to client\", \"The Simperium server will respond with an auth command\" (Simperium/Specification.md#messages); Diagnosis/Catalogue.md#r60.",
        follows: "Nothing.",
        evidence: "auth, o, ?, index without payload, a page, an entity or a log level.",
        expects: "The request, not its answer.", silent: "The text was cut.",
        cause: "The client sends back what it received.")

    static let sockJSFrame = Rule(
        "simperium.session.sockjs-frame", .error, repetition: .client,
        title: "Messages are bare on the raw endpoint, and in SockJS frames on that of SockJS.",
        source:
            "\"The client connects via WebSocket to wss://api.simperium.com/sock/1/APP_ID/websocket\" (Simperium/Specification.md#connecting); Diagnosis/Catalogue.md#r61.",
        follows: "The address of the socket.",
        evidence: "A JSON array of strings on the raw endpoint, or a bare command on the other.",
        expects: "CHANNEL:COMMAND:PAYLOAD on /sock/1/APP/websocket.",
        silent: "The text was cut.",
        cause: "A SockJS library connects to the raw address, or a plain socket to that of SockJS.")

    static let unreadable = Rule(
        "simperium.session.unreadable", .error, repetition: .client,
        title: "Requests of a client can be read.",
        source:
            "\"The index command takes four parameters\", \"The cv command takes one parameter\" (Simperium/Specification.md#index, #changes-since).",
        follows: "Nothing.", evidence: "An i, cv or index that is not UTF-8 or not JSON.",
        expects: "CHANNEL:i:DATA:MARK::LIMIT, CHANNEL:cv:CV, CHANNEL:index:{…}",
        silent: "The text was cut; init, e, c, h and log have separate rules.")

    static let versionAsString = Rule(
        "simperium.session.version-as-string", .info, repetition: .client,
        title: "Versions are numbers.",
        source:
            "\"v : the entity's version number\" (Simperium/Specification.md#index); simperium-ios #105; Diagnosis/Catalogue.md#r57.",
        follows: "Nothing.", evidence: "An sv or v that is a string of digits.",
        expects: "\"sv\":12", silent: "The text was cut.",
        cause: "The client keeps versions as strings.")
}
