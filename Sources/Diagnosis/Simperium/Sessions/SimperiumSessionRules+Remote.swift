import Wire

extension SimperiumSessionRules {
    static let remote: [Rule] = [
        indexUnanswered, indexForm, logMissing, logUnasked, logOnChannel, logForm,
    ]

    static let indexUnanswered = Rule(
        "simperium.remote.index-unanswered", .warning, repetition: .client,
        title: "A client answers a request for its index.",
        source:
            "\"index - response should be the current local state of a specific bucket\" (Simperium/Specification.md#remote-index); observed of node-simperium, which ignores it; Diagnosis/Catalogue.md#r58.",
        follows: "CHANNEL:index of the server.",
        evidence:
            "No answer while the client sends other commands; three changes, the last more than 5 s later, with none before them.",
        expects: "CHANNEL:index:{\"current\":…,\"index\":[…],\"pending\":[…],\"extra\":{…}}",
        deadlineNanoseconds: SimperiumSessionTimes.remote,
        silent: "The connection ends or is silent, or a fault followed.",
        cause: "The client expects a second colon, and reads 0:index as another command.")

    static let indexForm = Rule(
        "simperium.remote.index-form", .warning, repetition: .client,
        title: "A client's index has current, index and pending.",
        source:
            "\"0:index:{ current: <cv>, index: [ {id: <eid>, v: <version>}, ... ], pending: [ { id: <eid>, sv: <version>, ccid: <ccid> }, ... ]\" (Simperium/Specification.md#remote-index); Diagnosis/Catalogue.md#r58.",
        follows: "Nothing.",
        evidence:
            "pendings, {KEY:VERSION} entries, a missing index, or a pending change without id or ccid.",
        expects: "CHANNEL:index:{\"current\":CV,\"index\":[{\"id\":KEY,\"v\":1}],\"pending\":[]}",
        silent: "The text was cut. A new object has no sv.",
        cause: "The client writes pendings, or {KEY:VERSION} for an entry.")

    static let logMissing = Rule(
        "simperium.remote.log-missing", .info, repetition: .client,
        title: "A client logs when the server requests it.",
        source:
            "\"1 : Client should send logging messages\" (Simperium/Specification.md#remote-logging); Diagnosis/Catalogue.md#r59.",
        follows: "log:1 and log:2 of the server.",
        evidence: "No log message within 5 minutes, while the client sends other commands.",
        expects: "log:{\"log\":\"…\"}", deadlineNanoseconds: SimperiumSessionTimes.log,
        silent: "The connection ends, or a fault followed. There may have been nothing to log.")

    static let logUnasked = Rule(
        "simperium.remote.log-unasked", .info, repetition: .client,
        title: "A client logs only while the server requests it, and not after log:0.",
        source:
            "\"0 : Client should stop sending remote logging messages\" (Simperium/Specification.md#remote-logging); Diagnosis/Catalogue.md#r59.",
        follows: "The level that the server requested.",
        evidence: "A log message 5 s after log:0, or where no level was requested.",
        expects: "Nothing.", minimumNanoseconds: 5 * SimperiumSessionTimes.second,
        silent: "The connection was not captured from its start.")

    static let logOnChannel = Rule(
        "simperium.remote.log-on-channel", .info, repetition: .client,
        title: "log has no channel.",
        source:
            "\"this request will be sent without a channel prefix, responses should also be sent without a prefix\" (Simperium/Specification.md#remote-logging); Diagnosis/Catalogue.md#r59.",
        follows: "Nothing.", evidence: "CHANNEL:log:…", expects: "log:{\"log\":\"…\"}",
        silent: "The text was cut.")

    static let logForm = Rule(
        "simperium.remote.log-form", .info, repetition: .client,
        title: "A log message is a JSON object with log.",
        source:
            "\"The response from the client should be a json object containing at least a \"log\" field.\" (Simperium/Specification.md#remote-logging).",
        follows: "Nothing.", evidence: "A log without payload, without log, or of another form.",
        expects: "log:{\"log\":\"…\"}", silent: "The text was cut.")
}
