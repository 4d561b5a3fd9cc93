import Wire

/// Rules about the text of a change.
extension SimperiumChangeRules {
    static let ofForm: [Rule] = [
        arrayFromClient, unreadable, missingField, serverField, unknownOperation, wrappedData,
        removeWithValue, keyGrammar, ccidGrammar, bucketGrammar, malformedDelta, unusualDelta,
        unknownFieldOperation, malformedOperation,
    ]

    static let arrayFromClient = Rule(
        "simperium.change.array-from-client", .error, repetition: .client,
        title: "A client sends one change as a JSON object, not an array of changes.",
        source: "Observed: all official clients send an object, servers an array, though the "
            + "specification says \"an array of hashes\" for both; Diagnosis/Catalogue.md#r08",
        follows: "nothing",
        evidence: "a c of a client whose payload is an array",
        expects: "{\"id\": …, \"o\": …, \"ccid\": …, …} without brackets around it",
        silent: "in the other direction, where an array is right",
        cause: "serialises its list of pending changes instead of the one change"
    )

    static let unreadable = Rule(
        "simperium.change.unreadable", .error, repetition: .client,
        title: "The payload of a c is a change in JSON.",
        source: "Simperium/Specification.md#changes: \"A change message contains a JSON "
            + "payload\"; Diagnosis/Catalogue.md#r08",
        follows: "nothing",
        evidence: "a c of a client that is not JSON or not an object",
        expects: "JSON of one change",
        silent: "where the command was cut in the trace"
    )

    static let missingField = Rule(
        "simperium.change.missing-field", .error, repetition: .client,
        title: "A change has id, o and ccid, and a modification v.",
        source:
            "Simperium/Specification.md#changes: \"A change has these keys\"; Diagnosis/Catalogue.md#r08",
        follows: "nothing",
        evidence: "a change of a client without one of these",
        expects: "all of id, o, ccid, and v where o is M",
        silent: "for v where d is there, which is enough"
    )

    static let serverField = Rule(
        "simperium.change.server-field", .warning, repetition: .client,
        title: "A client does not send the members that only the server sets.",
        source:
            "Simperium/Specification.md#changes: \"cv : the change version of the index at the point of "
            + "this change\", \"ev : the end version for the entity after the change is applied\"",
        follows: "nothing",
        evidence: "cv, ev, ccids or error in a change of a client",
        expects: "only id, o, v, sv, ccid and where needed d",
        silent: "for clientid, which is harmless",
        cause: "sends on the change it received from the server"
    )

    static let unknownOperation = Rule(
        "simperium.change.unknown-operation", .error, repetition: .client,
        title: "The operation of a change is M or -.",
        source: "Simperium/Specification.md#changes; "
            + "Simperium's list of types has EMPTY as well; Diagnosis/Catalogue.md#r08",
        follows: "nothing",
        evidence: "another o in a change of a client",
        expects: "M to modify, - to remove",
        silent: "for EMPTY"
    )

    static let wrappedData = Rule(
        "simperium.change.wrapped-data", .error, repetition: .client,
        title: "d is the whole object itself.",
        source:
            "Simperium/Specification.md#changes: \"d : Optional the whole data object\"; Diagnosis/Catalogue.md#r25",
        follows: "nothing",
        evidence: "d that is not an object, or {version, data}, in which a client keeps its ghosts",
        expects: "the JSON object of the entity",
        silent: "for objects with other members beside these",
        cause: "sends its ghost record instead of the data in it"
    )

    static let removeWithValue = Rule(
        "simperium.change.remove-with-value", .error, repetition: .client,
        title: "A removal has neither v nor d.",
        source:
            "Simperium/Specification.md#changes: \"- : remove -- remove the entity from the index\"; "
            + "Diagnosis/Catalogue.md#r55",
        follows: "nothing",
        evidence: "v or d in a change with o -",
        expects: "{\"id\": …, \"o\": \"-\", \"ccid\": …}",
        silent: "never, beside the conditions of all rules"
    )

    static let keyGrammar = Rule(
        "simperium.change.key-grammar", .error, repetition: .client,
        title: "Keys are 1 to 256 letters, digits and ._-%@.",
        source:
            "Simperium/Specification.md#identifiers; \"400 : invalid id\"; Diagnosis/Catalogue.md#r56",
        follows: "nothing",
        evidence: "a key of a client's c or e with other characters",
        expects: "the key percent-encoded by the app",
        silent: "for keys that the server made",
        cause: "uses a title or tag as key without encoding it"
    )

    static let ccidGrammar = Rule(
        "simperium.change.ccid-grammar", .error, repetition: .client,
        title: "A ccid is 1 to 256 hexadecimal digits and dashes.",
        source:
            "Simperium/Specification.md#changes: \"ccid : a unique uuid to identify this specific "
            + "change\"; Simperium/Specification.md#identifiers; Diagnosis/Catalogue.md#r56",
        follows: "nothing",
        evidence: "a ccid of a client with other characters",
        expects: "a UUID",
        silent: "where another of the text's fields could not be read"
    )

    static let bucketGrammar = Rule(
        "simperium.session.bucket-grammar", .error, repetition: .client,
        title: "Names of buckets are 1 to 64 letters, digits and ._-%.",
        source: "Simperium/Specification.md#identifiers; Diagnosis/Catalogue.md#r56",
        follows: "nothing",
        evidence: "an init with another name",
        expects: "a name of these characters",
        silent: "where the init has no name, which is another rule"
    )

    static let malformedDelta = Rule(
        "simperium.diff.malformed-delta", .error, repetition: .topic,
        title: "A string delta is =n, -n and +text between tabs.",
        source:
            "Simperium/Specification.md#diffs: \"v key will contain an object diff compatible with "
            + "jsondiff\"; Simperium/Specification.md#deltas; Diagnosis/Catalogue.md#r29",
        follows: "nothing",
        evidence: "a delta of a client that cannot be read: an unknown token, a count that is "
            + "not a number, a bad escape, bytes that are not UTF-8",
        expects: "tokens as toDelta of diff-match-patch writes them, text percent-escaped",
        silent: "never, beside the conditions of all rules",
        cause: "writes text unescaped, or nil as (null)"
    )

    static let unusualDelta = Rule(
        "simperium.diff.unusual-delta", .warning, repetition: .client,
        title: "A delta has no empty steps, and escapes what toDelta escapes.",
        source: "Simperium/Specification.md#deltas; Diagnosis/Catalogue.md#r29",
        follows: "nothing",
        evidence: "=0, -0, a bare +, unescaped characters or lower-case escapes in a delta of a "
            + "client",
        expects: "the delta as toDelta writes it",
        silent: "for what cannot be read at all, which is a separate error",
        cause: "makes deltas by hand instead of with diff-match-patch"
    )

    static let unknownFieldOperation = Rule(
        "simperium.diff.unknown-operation", .error, repetition: .client,
        title: "Operations on members are those of jsondiff.",
        source:
            "Simperium/Specification.md#diffs: \"compatible with jsondiff\"; Diagnosis/Catalogue.md#r33",
        follows: "nothing",
        evidence: "an operation other than + - r I L dL O d in v",
        expects: "one of these",
        silent: "never, beside the conditions of all rules"
    )

    static let malformedOperation = Rule(
        "simperium.diff.malformed-operation", .error, repetition: .client,
        title: "Each operation has an o and, as it needs, a v of its kind.",
        source:
            "Simperium/Specification.md#diffs: \"compatible with jsondiff\"; Diagnosis/Catalogue.md#r33",
        follows: "nothing",
        evidence: "an operation without o, without v, or with a v of another kind",
        expects: "{\"o\": …, \"v\": …}",
        silent: "for additional members of an operation"
    )
}
