import Wire

extension SimperiumServerRules {
    static let changes: [Rule] = [
        ackWithoutCcids, changeIncomplete, changeNotInArray, versionsDescend, versionForm,
        versionGap, versionRepeated, goesBack, cvRepeated, errorForm, errorUnknown,
        unknownOperation, diffMalformed,
    ]

    static let ackWithoutCcids = Rule(
        "simperium.server.ack-without-ccids", .error, blames: .server, repetition: .client,
        title: "A change or an error names its ccids.",
        source:
            "\"it receives a c response from the server containing the ccid that was sent\" (Simperium/Specification.md#acknowledgements); \"corresponding ccids and an index cv for the changes\"; Diagnosis/Catalogue.md#s01.",
        follows: "Nothing.",
        evidence: "A change of a server without ccids, or with ccid in their place.",
        expects: "\"ccids\":[CCID]",
        silent: "The text was cut, or the client sent a change without ccid.")

    static let changeIncomplete = Rule(
        "simperium.server.change-incomplete", .error, blames: .server, repetition: .client,
        title: "A change of a server has id, o, v, ev, cv and clientid.",
        source:
            "\"A change has these keys\" (Simperium/Specification.md#changes); Diagnosis/Catalogue.md#s01.",
        follows: "Nothing.",
        evidence: "A change that lacks one of them, or is not an object.",
        expects:
            "{\"clientid\":…,\"id\":…,\"o\":\"M\",\"v\":{…},\"ev\":2,\"sv\":1,\"cv\":…,\"ccids\":[…]}",
        silent:
            "The text was cut. A removal has no v, a new object no sv, an error none of them. A warning where clientid is missing."
    )

    static let changeNotInArray = Rule(
        "simperium.server.change-not-in-array", .error, blames: .server, repetition: .client,
        title: "A server sends changes in an array.",
        source:
            "\"A change message contains a JSON payload which is an array of hashes\" (Simperium/Specification.md#changes).",
        follows: "Nothing.",
        evidence: "A c of a server that is an object.",
        expects: "CHANNEL:c:[{…}]",
        silent: "The text was cut.")

    static let versionsDescend = Rule(
        "simperium.server.versions-descend", .error, blames: .server, repetition: .client,
        title: "ev is above sv, and both are at least 1.",
        source:
            "\"change.ev minus change.sv will usually be 1 but is not always the case.\" (Simperium/Specification.md#changes); Diagnosis/Catalogue.md#s01.",
        follows: "Nothing.",
        evidence: "An ev that is not above its sv, or a version below 1.",
        expects: "ev = sv + 1, or more where changes were merged.",
        silent: "The text was cut.")

    static let versionForm = Rule(
        "simperium.server.version-form", .warning, blames: .server, repetition: .client,
        title: "Versions are numbers.",
        source: "\"v : the entity's version number\" (Simperium/Specification.md#index).",
        follows: "Nothing.",
        evidence: "A version that is a string or not a whole number.",
        expects: "\"ev\":2",
        silent: "The text was cut.")

    static let versionGap = Rule(
        "simperium.server.version-gap", .error, blames: .server, repetition: .client,
        title: "Changes of an object follow one another on a channel.",
        source:
            "\"ev : the end version for the entity after the change is applied\"; \"Confirm that the local entity version matches the change.sv\" (Simperium/Specification.md#changes, #remote-changes); Diagnosis/Catalogue.md#s01.",
        follows: "The ev of the last change of each object on the channel.",
        evidence: "A change whose sv is above it.",
        expects: "The change between, or its effect in this one with the older sv.",
        silent: "It answers a cv, or the last change was sent before the channel was opened again.")

    static let versionRepeated = Rule(
        "simperium.server.version-repeated", .error, blames: .server, repetition: .client,
        title: "A version of an object is made once.",
        source:
            "\"ev : the end version for the entity after the change is applied\" (Simperium/Specification.md#changes); Diagnosis/Catalogue.md#s01.",
        follows: "The ev and ccids of the last change of each object on the channel.",
        evidence: "Another change, with none of its ccids, that leads to the same version.",
        expects: "The next version.",
        silent: "It answers a cv.")

    static let goesBack = Rule(
        "simperium.server.goes-back", .error, blames: .server, repetition: .client,
        title: "A server keeps what it has acknowledged.",
        source:
            "An index has the keys and versions of a bucket (Simperium/Specification.md#index); Diagnosis/Catalogue.md#s02.",
        follows: "The newest version of each object that was sent on a channel of the bucket.",
        evidence:
            "An index that was requested more than 2 s later and has a lower version, or not the object; ? for that version; or a change of it that is acknowledged as a lower version.",
        expects: "That version or a later one.",
        minimumNanoseconds: SimperiumServerCheck.settling,
        silent:
            "All channels of the bucket were closed in between, when others may have removed the object; bytes are missing, or a fault followed.",
        cause:
            "The server acknowledges a change before it is stored, or reads from a copy that lags behind."
    )

    static let cvRepeated = Rule(
        "simperium.server.cv-repeated", .error, blames: .server, repetition: .client,
        title: "Each change has its own change version.",
        source:
            "\"cv : the change version of the index at the point of this change\" (Simperium/Specification.md#changes); Diagnosis/Catalogue.md#s01.",
        follows: "The change versions of the last changes of the bucket.",
        evidence: "The same cv for another object or another version.",
        expects: "A cv that was not given before.",
        silent:
            "It answers a cv, where merged changes may share the newest, or the message has several changes."
    )

    static let errorForm = Rule(
        "simperium.server.error-form", .info, blames: .server, repetition: .client,
        title: "An error code is a number.",
        source:
            "Real servers send numbers; the example of the specification has \"error\":\"401\" (Simperium/Specification.md#acknowledgements); Diagnosis/Catalogue.md#s01.",
        follows: "Nothing.",
        evidence: "An error that is a string; an error finding where it is not a number at all.",
        expects: "\"error\":401",
        silent: "The text was cut.")

    static let errorUnknown = Rule(
        "simperium.server.error-unknown", .info, blames: .server, repetition: .client,
        title: "Error codes are those that clients recognize.",
        source:
            "\"Potential error responses\" (Simperium/Specification.md#errors); 417 and 503 as observed.",
        follows: "Nothing.",
        evidence: "Another code.",
        expects: "400, 401, 404, 405, 409, 412, 413, 417, 440 or 5xx",
        silent: "The text was cut.")

    static let unknownOperation = Rule(
        "simperium.server.unknown-operation", .error, blames: .server, repetition: .client,
        title: "The operation of a change is M or -.",
        source:
            "\"Possible operations o\" (Simperium/Specification.md#changes); EMPTY as observed.",
        follows: "Nothing.",
        evidence: "Another operation.",
        expects: "\"o\":\"M\" or \"o\":\"-\"",
        silent: "The text was cut.")

    static let diffMalformed = Rule(
        "simperium.server.diff-malformed", .error, blames: .server, repetition: .client,
        title: "The v of a change can be applied.",
        source:
            "\"the v key will contain an object diff compatible with jsondiff\" (Simperium/Specification.md#changes).",
        follows: "Nothing.",
        evidence:
            "An unknown operation on a member, one without o or v, or a delta that cannot be read.",
        expects: "A diff that jsondiff can apply.",
        silent: "The text was cut.")
}
