import Wire

extension CommCareExchangeRules {
    /// Rules about the request of a sync.
    static let sync: [Rule] = [stateMalformed, sinceWithoutState, stateWithoutSince]

    static let stateMalformed = Rule.exchange(
        "commcare.sync.state-malformed", .error,
        title: "The state of a sync is ccsh: and a hash.",
        source:
            "CommCare HQ's CaseStateHash.parse takes `ccsh:` and 32 digits, or nothing for no cases, and answers 500 to anything else; Diagnosis/Catalogue.md#c12.",
        evidence: "A `state` without the prefix, or with other than 0 or 32 hexadecimal digits.",
        expects: "`state=ccsh:` and the XOR of the MD5 of all case ids.",
        cause: "The hash is written without its prefix, or leading zeros are lost.")
    static let sinceWithoutState = Rule.exchange(
        "commcare.sync.since-without-state", .warning,
        title: "An incremental sync sends the state of its cases.",
        source:
            "CommCare Android sends `since` and `state` together; without the state the server cannot see that the device lacks cases; Diagnosis/Catalogue.md#c13.",
        evidence: "A restore with `since` and without `state`.",
        expects: "Both, or neither for a full sync.")
    static let stateWithoutSince = Rule.exchange(
        "commcare.sync.state-without-since", .info,
        title: "A state is sent with a sync token.",
        source: "CommCare HQ uses `state` only together with `since`; Diagnosis/Catalogue.md#c13.",
        evidence: "A restore with `state` and without `since`.",
        expects: "Both, or neither for a full sync.")
}
