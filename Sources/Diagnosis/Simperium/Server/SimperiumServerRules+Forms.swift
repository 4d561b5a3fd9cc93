import Wire

extension SimperiumServerRules {
    static let forms: [Rule] = [
        authForm, cvForm, unknownCommand, wrongDirection, badPrefix, logLevel,
        sockJSFrame, unreadable,
    ]

    static let authForm = Rule(
        "simperium.server.auth-form", .warning, blames: .server, repetition: .client,
        title: "auth holds a user, or an object with code.",
        source:
            "\"an auth command which will also contain either the authorized user's email address, or if authorization failed, a JSON error object\" (Simperium/Specification.md#init); Diagnosis/Catalogue.md#s01.",
        follows: "Nothing.",
        evidence:
            "An empty user, one that reads as JSON, or a refusal without code; auth:expired is only information.",
        expects: "CHANNEL:auth:USER or CHANNEL:auth:{\"msg\":…,\"code\":401}",
        silent: "The text was cut.")

    static let cvForm = Rule(
        "simperium.server.cv-form", .warning, blames: .server, repetition: .client,
        title: "An unknown change version is answered with cv:?.",
        source:
            "\"If the cv does not exist for that bucket, the server will respond with: 0:cv:?\" (Simperium/Specification.md#changes-since).",
        follows: "The api, library and version of the init.",
        evidence: "c:? to a client of API 1.1 that names its library, or cv: with something else.",
        expects: "CHANNEL:cv:?",
        silent: "The client names no library or an older API: the older c:? is right.")

    static let unknownCommand = Rule(
        "simperium.server.unknown-command", .error, blames: .server, repetition: .client,
        title: "Servers send auth, i, e, cv, c, o, h, index, log and ?, and nothing else.",
        source:
            "\"The available commands are\" (Simperium/Specification.md#messages); o and ? as observed.",
        follows: "Nothing.",
        evidence: "A message that is not a command, or one that no specification has.",
        expects: "CHANNEL:COMMAND:PAYLOAD",
        silent: "The text was cut.")

    static let wrongDirection = Rule(
        "simperium.server.wrong-direction", .error, blames: .server, repetition: .client,
        title: "Servers do not send what only clients send.",
        source: "\"The client sends\" (Simperium/Specification.md#messages).",
        follows: "Nothing.",
        evidence: "init, a request for a page or an entity, or a log message.",
        expects: "The answer, not the request.",
        silent: "The text was cut.")

    static let badPrefix = Rule(
        "simperium.server.bad-prefix", .error, blames: .server, repetition: .client,
        title: "Commands of a channel have its number, h and log have none.",
        source:
            "\"This message should not be prefixed by a channel id\" (Simperium/Specification.md#heartbeats); \"this request will be sent without a channel prefix\" (Simperium/Specification.md#remote-logging); Diagnosis/Catalogue.md#s01.",
        follows: "Nothing.",
        evidence: "A channel where none belongs, or none where one does.",
        expects: "CHANNEL:c:[…], h:N, log:N",
        silent:
            "The text was cut. A warning for c without channel, which the specification's own example of an error has."
    )

    static let logLevel = Rule(
        "simperium.server.log-level", .warning, blames: .server, repetition: .client,
        title: "The level of logging is 0, 1 or 2.",
        source:
            "\"We currently define 3 states of logging\" (Simperium/Specification.md#remote-logging).",
        follows: "Nothing.",
        evidence: "Another level.",
        expects: "log:0, log:1 or log:2",
        silent: "The text was cut.")

    static let sockJSFrame = Rule(
        "simperium.server.sockjs-frame", .error, blames: .server, repetition: .client,
        title: "Messages are bare on the raw endpoint.",
        source:
            "\"The client connects via WebSocket to wss://api.simperium.com/sock/1/APP_ID/websocket\" (Simperium/Specification.md#connecting); Diagnosis/Catalogue.md#r61.",
        follows: "The address of the socket.",
        evidence: "A frame of SockJS.",
        expects: "CHANNEL:COMMAND:PAYLOAD",
        silent: "The text was cut.")

    static let unreadable = Rule(
        "simperium.server.unreadable", .error, blames: .server, repetition: .client,
        title: "Commands of a server can be read.",
        source:
            "\"The server will respond with the index results in a JSON payload\" (Simperium/Specification.md#index).",
        follows: "Nothing.",
        evidence: "A command whose payload cannot be read.",
        expects: "A payload according to the specification.",
        silent: "The text was cut.")
}
