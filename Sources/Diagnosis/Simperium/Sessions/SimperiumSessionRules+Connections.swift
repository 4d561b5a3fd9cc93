import Wire

extension SimperiumSessionRules {
    static let connections: [Rule] = [
        heartbeatOnChannel, heartbeatNumber, heartbeatMissing, heartbeatLate, deadConnection,
        notIncremented,
        noReconnect, reconnectStorm,
    ]

    static let heartbeatOnChannel = Rule(
        "simperium.heartbeat.on-channel", .error, repetition: .client,
        title: "A heartbeat has no channel.",
        source:
            "\"This message should not be prefixed by a channel id since the heartbeat will maintain the connection for all channels.\" (Simperium/Specification.md#heartbeats); Diagnosis/Catalogue.md#r48.",
        follows: "Nothing.", evidence: "CHANNEL:h:N", expects: "h:N", silent: "The text was cut.")

    static let heartbeatNumber = Rule(
        "simperium.heartbeat.not-a-number", .error, repetition: .client,
        title: "A heartbeat carries an integer.",
        source:
            "\"The message takes one parameter, an integer\" (Simperium/Specification.md#heartbeats); Diagnosis/Catalogue.md#r48.",
        follows: "Nothing.", evidence: "An h without payload, or with one that is not an integer.",
        expects: "h:N", silent: "The text was cut.")

    static let heartbeatMissing = Rule(
        "simperium.heartbeat.missing", .error, repetition: .client,
        title: "Heartbeats are sent on an idle connection.",
        source:
            "\"A heartbeat should be sent after 20 seconds of idle time\" (Simperium/Specification.md#heartbeats); Diagnosis/Catalogue.md#r48.",
        follows: "What either side sends on the connection.",
        evidence:
            "More than 36 s in which neither sent anything, on a connection that never had a heartbeat, and the client sends again or sends Close afterwards.",
        expects: "h:N after 20 s.", minimumNanoseconds: SimperiumSessionTimes.idle,
        silent:
            "The client never sends again, and may have been asleep; bytes are missing, or a fault touched the connection.",
        cause: "The client relies on TCP, or on pings of WebSocket.")

    static let heartbeatLate = Rule(
        "simperium.heartbeat.late", .info, repetition: .client,
        title: "A heartbeat is sent after 20 s of idle time.",
        source:
            "\"A heartbeat should be sent after 20 seconds of idle time\" (Simperium/Specification.md#heartbeats); Diagnosis/Catalogue.md#r48.",
        follows: "What either side sends on the connection.",
        evidence: "A heartbeat after more than 22 s in which neither sent anything.",
        expects: "h:N after 20 s.", minimumNanoseconds: SimperiumSessionTimes.lateBeat,
        silent: "Bytes are missing, or a fault touched the connection since.",
        cause: "The client counts from its own last heartbeat, or waits longer.")

    static let deadConnection = Rule(
        "simperium.heartbeat.dead-connection", .error, repetition: .client,
        title: "A connection whose heartbeats are not answered is closed.",
        source:
            "\"should expect an immediate response\" (Simperium/Specification.md#heartbeats); simperium-android #147, simperium-ios #100, #148, simplenote-electron #3084; Diagnosis/Catalogue.md#r48, #r50.",
        follows: "The heartbeats of the client and what it receives.",
        evidence:
            "90 s after a heartbeat nothing was received at all, and the client continues to use the connection.",
        expects: "Close the socket and open another.",
        deadlineNanoseconds: SimperiumSessionTimes.dead, silent: "Anything was received meanwhile.",
        cause: "The client sends heartbeats and never checks for their answers.")

    static let notIncremented = Rule(
        "simperium.heartbeat.not-incremented", .info, repetition: .client,
        title: "A heartbeat carries the server's number plus one.",
        source:
            "\"The client's next heartbeat message should increment the integer it received from the server.\" (Simperium/Specification.md#heartbeats); Diagnosis/Catalogue.md#r49.",
        follows: "The last heartbeat of the server that was received.",
        evidence: "Another number.", expects: "The number of the server plus one.",
        silent: "Nothing was received on this connection before, or a heartbeat is unanswered.",
        cause: "The client always sends the same number, or sends back what it received.")

    static let noReconnect = Rule(
        "simperium.session.no-reconnect", .info, repetition: .client,
        title: "A client reconnects after the server has ended the connection.",
        source:
            "simperium-ios #100 and #148, simplenote-electron #3084: clients that do not reconnect; Diagnosis/Catalogue.md#r50.",
        follows: "Which side ended the connection, and later connections of the client.",
        evidence: "No connection within 5 minutes.", expects: "A new connection after a pause.",
        deadlineNanoseconds: SimperiumSessionTimes.reconnect,
        silent:
            "The client ended it, or the server refused its token. Only information, since the app may have been closed."
    )

    static let reconnectStorm = Rule(
        "simperium.session.reconnect-storm", .warning, repetition: .client,
        title: "Pauses between failed connections grow.",
        source:
            "simperium-ios #385, go-simperium: reconnects without pause; Diagnosis/Catalogue.md#r51.",
        follows: "When connections of a client end and begin, and whether a bucket was opened.",
        evidence:
            "Four connections in a row without success, each within 1 s of the end of the one before; or eight that each end within 5 s and begin within 0.3 s; or as many from one address on which not even a bucket was asked for: eight for each client that is known there, twenty where none is.",
        expects: "1 s, then 2 s, then 4 s and so on, up to a minute.",
        silent:
            "The client opens several connections at once; from an address, where something else was requested.",
        cause: "The client reconnects in the handler for the end of the connection.")
}
