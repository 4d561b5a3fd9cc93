import Wire

extension SimperiumSessionRules {
    static let opening: [Rule] = [
        commandBeforeInit, commandBeforeAuth, commandAfterRefusal, sameTokenAgain, initIncomplete,
        clientIDSpelling, initWithoutLibrary, initVersion, initUnreadable, initCommand,
        clientIDChanged, sharedClientID, bucketTwice,
    ]

    static let commandBeforeInit = Rule(
        "simperium.session.command-before-init", .error, repetition: .topic,
        title: "A channel is opened by init before anything else is sent on it.",
        source:
            "\"When a client is ready to connet to a user's bucket it sends the init command.\" (Simperium/Specification.md#init); Diagnosis/Catalogue.md#r01, #r60.",
        follows: "The channels that the client opened on the connection.",
        evidence: "i, e, cv, c or index on a channel for which no init was sent.",
        expects: "CHANNEL:init:{…} first, and its auth, then the command.",
        silent: "The connection was not captured from its start or without gaps.",
        cause: "The client does not remember that a new socket has no open channels.")

    static let commandBeforeAuth = Rule(
        "simperium.auth.command-before-answer", .error, repetition: .topic,
        title: "Nothing is sent on a channel until the server has answered its init.",
        source:
            "\"The client should then wait for an auth response\" (Simperium/Specification.md#init); Diagnosis/Catalogue.md#r01.",
        follows: "The answer to the init of each channel.",
        evidence: "i, e, cv or c between init and auth.",
        expects: "Wait for CHANNEL:auth:…, or put the first request into the cmd of the init.",
        silent: "The channel was open before and is opened again.",
        cause: "The client writes its first request when the socket opens.")

    static let commandAfterRefusal = Rule(
        "simperium.auth.command-after-refusal", .error, repetition: .topic,
        title: "A channel that the server refused to open is dead until another init.",
        source:
            "\"if authorization failed, a JSON error object\"; \"After authorizing the client can now issue commands\" (Simperium/Specification.md#init); Diagnosis/Catalogue.md#r02.",
        follows: "The answer to the init of each channel.",
        evidence: "i, e, cv or c after auth:{…} or auth:expired.",
        expects: "Nothing but a new init, after another token was obtained for 400 and 401.",
        silent: "For 5 s where the channel was open before, since the command was on its way.",
        cause:
            "The client treats every auth as a success, or does not recognize both forms of a refusal, JSON and auth:expired."
    )

    static let sameTokenAgain = Rule(
        "simperium.auth.same-token-again", .error, repetition: .topic,
        title: "A token that the server called invalid is not sent repeatedly.",
        source:
            "\"401 - The token is affirmatively invalid, user needs new token.\" (Simperium/Specification.md#init); simperium-ios #385, #417; Diagnosis/Catalogue.md#r03.",
        follows: "The tokens that were refused with 400, 401 or expired, and the bucket.",
        evidence: "The second init of the same bucket with the same token after the refusal.",
        expects: "A new token from the auth API, or nothing until the user logs in.",
        silent:
            "One more attempt, refusals with 500, which do not concern the token, and once the server accepts the token.",
        cause: "The client reconnects on a refusal as it does on a lost connection.")

    static let initIncomplete = Rule(
        "simperium.session.init-incomplete", .warning, repetition: .client,
        title: "init names the bucket, the application, the token, the client and the API.",
        source:
            "\"The init command contains a JSON payload with the following key value pairs\" (Simperium/Specification.md#init); simperium-js and go-simperium; Diagnosis/Catalogue.md#r04.",
        follows: "Nothing.", evidence: "An init without name, app_id, token, clientid or api.",
        expects:
            "{\"clientid\":…,\"api\":\"1.1\",\"token\":…,\"app_id\":…,\"name\":…,\"library\":…,\"version\":…}",
        silent: "The text was cut.")

    static let clientIDSpelling = Rule(
        "simperium.session.client-id-spelling", .warning, repetition: .client,
        title: "The identifier of the client is clientid, not client_id.",
        source:
            "\"clientid : a string that identifies the simperium client.\" (Simperium/Specification.md#init; its own example has client_id, which no client sends); Diagnosis/Catalogue.md#r04.",
        follows: "Nothing.", evidence: "An init or a change with client_id.",
        expects: "\"clientid\":…", silent: "The text was cut.",
        cause: "The client was written after the example in the specification.")

    static let initWithoutLibrary = Rule(
        "simperium.session.init-without-library", .warning, repetition: .client,
        title: "init names the library and a version above 0.",
        source:
            "\"library : the library name of the connecting client\"; without it the server answers an unknown cv with c:? (simperium-ios #164, simperium-android #45); Diagnosis/Catalogue.md#r04.",
        follows: "Nothing.", evidence: "An init without library, or with version missing or 0.",
        expects: "\"library\":\"NAME\",\"version\":\"1.0\"", silent: "The text was cut.")

    static let initVersion = Rule(
        "simperium.session.init-api", .info, repetition: .client,
        title: "The api of init is the string 1.1.",
        source:
            "\"api : the api version to use. Current: 1.1\" (Simperium/Specification.md#init); Diagnosis/Catalogue.md#r57.",
        follows: "Nothing.", evidence: "An init whose api is a number or another version.",
        expects: "\"api\":\"1.1\"", silent: "The api is missing, which is another rule.",
        cause: "The client writes the number 1.1 or 1 instead of the string.")

    static let initUnreadable = Rule(
        "simperium.session.init-unreadable", .error, repetition: .client,
        title: "The payload of init is a JSON object.",
        source: "\"The init command contains a JSON payload\" (Simperium/Specification.md#init).",
        follows: "Nothing.", evidence: "An init whose payload is missing or not a JSON object.",
        expects: "CHANNEL:init:{\"name\":…}", silent: "The text was cut.")

    static let initCommand = Rule(
        "simperium.session.init-command", .warning, repetition: .client,
        title: "The cmd of an init is a request for the index or for changes.",
        source:
            "\"cmd : the command to executed after authorizing the channel: Example: i::::500\" (Simperium/Specification.md#init).",
        follows: "Nothing.", evidence: "A cmd that begins with neither i: nor cv:.",
        expects: "\"cmd\":\"i::::500\" or \"cmd\":\"cv:CV\"", silent: "The text was cut.")

    static let clientIDChanged = Rule(
        "simperium.session.client-id-changed", .warning, repetition: .topic,
        title: "The clientid stays the same while changes are unacknowledged.",
        source:
            "The server recognizes a change by clientid and ccid (simperium-android #56, simperium-js #6); \"clientid : a string that identifies the simperium client\"; Diagnosis/Catalogue.md#r05.",
        follows: "The changes that were sent and not answered.",
        evidence: "The same change of the same object under another clientid.",
        expects: "The change again under the clientid it was sent with first.",
        silent: "The change was answered, or was first sent before the capture.",
        cause: "The client generates a new clientid at each start.")

    static let sharedClientID = Rule(
        "simperium.session.shared-client-id", .error, repetition: .topic,
        title: "A clientid is used by one connection at a time.",
        source:
            "node-simperium PR #90, simplenote-electron #1707 and #2039: two tabs with one clientid receive each other's acknowledgements; Diagnosis/Catalogue.md#r06.",
        follows: "Which open connections send changes of a bucket under which clientid.",
        evidence:
            "Two open connections with one clientid take turns in sending changes of one bucket, for more than 10 s.",
        expects: "A clientid per tab or process, or one connection shared by them.",
        silent: "One of the two falls silent, as a connection does that was replaced.",
        cause: "Tabs or processes share the storage that holds the clientid.")

    static let bucketTwice = Rule(
        "simperium.session.bucket-twice", .warning, repetition: .topic,
        title: "A bucket is open on one channel of a connection.",
        source:
            "\"namespaced to a specific channel of communication to allow multiple buckets to be synced over the same socket connection\" (Simperium/Specification.md#connecting); simperium-ios #192; Diagnosis/Catalogue.md#r62.",
        follows: "The open channels of the connection.",
        evidence: "An init for a bucket, with the same token, that another channel is open for.",
        expects: "One channel per bucket.", silent: "The other channel was refused.",
        cause: "The client forgets the channel of a bucket that it opens again.")
}
