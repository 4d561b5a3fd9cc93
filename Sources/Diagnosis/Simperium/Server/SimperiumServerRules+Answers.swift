import Wire

extension SimperiumServerRules {
    static let answers: [Rule] = [
        changeUnanswered, echoMissing, noAnswer, noAuth, heartbeatUnanswered,
        heartbeatLate, heartbeatNumber, notUnderstood, unasked, unopenedChannel,
    ]

    static let changeUnanswered = Rule(
        "simperium.server.change-unanswered", .error, blames: .server, repetition: .topic,
        title: "Every change is acknowledged or refused.",
        source:
            "\"it receives a c response from the server containing the ccid that was sent\" (Simperium/Specification.md#acknowledgements); Diagnosis/Catalogue.md#s01.",
        follows: "The changes that the server received.",
        evidence:
            "No c with the ccid of the change on its channel, while the server sends other commands.",
        expects: "CHANNEL:c:[{…,\"ccids\":[CCID]}]",
        deadlineNanoseconds: SimperiumServerCheck.answerTime,
        silent:
            "The connection ends, the server sends nothing any more, a fault touched the connection, or it was not captured from its start."
    )

    static let echoMissing = Rule(
        "simperium.server.echo-missing", .error, blames: .server, repetition: .topic,
        title: "An accepted change is sent to every channel on the bucket.",
        source:
            "\"A client will receive remote changes from the server either by explicitly asking for them (using the cv) or simply by being connected when a server receives a c change command.\" (Simperium/Specification.md#remote-changes); Diagnosis/Catalogue.md#s01.",
        follows: "The open channels of one bucket of one user on one server.",
        evidence:
            "A change that one channel received and another, open before it was sent, did not.",
        expects: "CHANNEL:c:[…] on every open channel of the bucket.",
        deadlineNanoseconds: SimperiumServerCheck.answerTime,
        silent:
            "User, application or server may differ, the connection ends, the server sends nothing any more, a fault touched the connection, or it was not captured from its start."
    )

    static let noAnswer = Rule(
        "simperium.server.no-answer", .error, blames: .server, repetition: .topic,
        title: "i, e and cv are answered.",
        source:
            "\"The server will respond with the index results\"; \"The server will respond with the same name and version\"; \"The server will look for all changes on the bucket since cv\"; Diagnosis/Catalogue.md#s01.",
        follows: "The requests that the server received.",
        evidence: "No i, e, c or cv:? for it, while the server sends other commands.",
        expects: "The page, the entity or ?, the changes or cv:?.",
        deadlineNanoseconds: SimperiumServerCheck.answerTime,
        silent:
            "The connection ends, the server sends nothing any more, a fault touched the connection, or it was not captured from its start."
    )

    static let noAuth = Rule(
        "simperium.server.no-auth", .error, blames: .server, repetition: .topic,
        title: "init is answered with auth.",
        source:
            "\"The Simperium server will respond with an auth command\" (Simperium/Specification.md#init); Diagnosis/Catalogue.md#s01.",
        follows: "The init commands that the server received.",
        evidence: "No auth on the channel, while the server sends other commands.",
        expects: "CHANNEL:auth:USER or CHANNEL:auth:{\"msg\":…,\"code\":…}",
        deadlineNanoseconds: SimperiumServerCheck.answerTime,
        silent:
            "The connection ends, the server sends nothing any more, a fault touched the connection, or it was not captured from its start."
    )

    static let heartbeatUnanswered = Rule(
        "simperium.server.heartbeat-unanswered", .error, blames: .server, repetition: .client,
        title: "A heartbeat is answered at once.",
        source:
            "\"should expect an immediate response\" (Simperium/Specification.md#heartbeats); Diagnosis/Catalogue.md#s01.",
        follows: "The heartbeats that the server received.",
        evidence:
            "The answer to a later request but no h; no h, while the server sends other commands; or no h on two connections that clients leave more than 10 s later.",
        expects: "h:N+1",
        deadlineNanoseconds: SimperiumServerCheck.heartbeatTime,
        silent:
            "The server sends nothing any more on one connection and may be unreachable, it has answered heartbeats before, the link is not quick and only changes are answered or other commands sent, a fault touched the connection, or it was not captured from its start.",
        cause:
            "The server takes h for a command of a channel, or answers it in the queue of its other work."
    )

    static let heartbeatLate = Rule(
        "simperium.server.heartbeat-late", .info, blames: .server, repetition: .client,
        title: "The answer to a heartbeat comes at once.",
        source:
            "\"should expect an immediate response\" (Simperium/Specification.md#heartbeats); Diagnosis/Catalogue.md#s01.",
        follows: "The heartbeats that the server received.",
        evidence: "The answer more than 5 s after the heartbeat, on a link that is quick.",
        expects: "h:N+1 at once",
        silent: "The link is not quick, a fault touched the connection, or bytes are missing.",
        cause: "The server answers heartbeats in the queue of its other work.")

    static let heartbeatNumber = Rule(
        "simperium.server.heartbeat-number", .error, blames: .server, repetition: .client,
        title: "The server answers a heartbeat with the number plus one.",
        source:
            "\"an integer that is incremented by the server and then sent back\" (Simperium/Specification.md#heartbeats); Diagnosis/Catalogue.md#s01.",
        follows: "The heartbeats that the server received and has not answered.",
        evidence: "An h whose number is none of theirs plus one.",
        expects: "h:N+1",
        silent: "The connection was not captured from its start.")

    static let notUnderstood = Rule(
        "simperium.server.not-understood", .info, blames: .server, repetition: .client,
        title: "The server understands what clients send.",
        source:
            "Observed by the clients for iOS (simperium-ios #399); ? is in no specification; Diagnosis/Catalogue.md#s01.",
        follows: "The last command of the client on the channel.",
        evidence: "CHANNEL:? or a bare ?.",
        expects: "An answer to the command.",
        silent: "Never; the command before shows whose mistake it is.")

    static let unasked = Rule(
        "simperium.server.unasked", .warning, blames: .server, repetition: .topic,
        title: "Every answer has a request.",
        source:
            "\"The server will respond with\" (Simperium/Specification.md#index, #entities, #init).",
        follows: "The requests on the channel.",
        evidence: "A page, an entity, an auth or cv:? without a request.",
        expects: "Nothing.",
        silent: "The connection was not captured from its start, or Tapedeck made the request; the "
            + "client requested something before the answer to its init."
    )

    static let unopenedChannel = Rule(
        "simperium.server.unopened-channel", .warning, blames: .server, repetition: .client,
        title: "The server speaks on channels that a client opened.",
        source:
            "\"this command will be sent on a particular channel that is already open\" (Simperium/Specification.md#remote-index).",
        follows: "The channels that were opened on the connection.",
        evidence: "A command on another channel.",
        expects: "The number of the channel of the init.",
        silent: "The connection was not captured from its start.")
}
