import Wire

/// Rules about identifiers and versions of changes.
extension SimperiumChangeRules {
    static let ofVersions: [Rule] = [
        noSource, sourceAhead, sourceBehind, stuckSource, editsRemoved, lateEntity, secondInFlight,
        foreignAnswer,
        resentUnderNewCCID, ccidWithOtherContent, ccidOfAnotherObject, ccidReused, duplicateEdit,
        removeWhilePending, removeRefused,
    ]

    static let noSource = Rule(
        "simperium.change.no-sv", .error,
        title: "A change of an object that exists names the version it applies to.",
        source:
            "Simperium/Specification.md#changes: \"sv : the source version … Note: not sent for new "
            + "objects\"; 405 \"wrong or missing sv\"; Diagnosis/Catalogue.md#r09",
        follows: "what the client received of the object on this channel",
        evidence: "a modification without sv and d of an object that the client received, or "
            + "one that changes what a new object does not have",
        expects: "sv, the version the client has",
        silent: "while the client may not have received the object yet, and after removals",
        cause: "treats an object of the index as a new one"
    )

    static let sourceAhead = Rule(
        "simperium.change.sv-ahead", .error,
        title: "A change is for a version that exists.",
        source:
            "Simperium/Specification.md#error-405: \"client referencing a wrong or missing sv\"; "
            + "Diagnosis/Catalogue.md#r10",
        follows: "the newest version that the client received",
        evidence: "sv above it",
        expects: "the sv of the last ev",
        silent: "where the client may have received a version that was not captured",
        cause: "counts versions itself instead of taking ev"
    )

    static let sourceBehind = Rule(
        "simperium.change.sv-behind", .error,
        title: "A change is for the last version that the client received.",
        source: "Simperium/Specification.md#remote-changes: \"Set the entity's version "
            + "to change.ev\"; Diagnosis/Catalogue.md#r11",
        follows: "the versions that the client received, and whether it could apply them",
        evidence: "sv below the ev of the client's own acknowledged change, or of a remote "
            + "change that the client certainly has",
        expects: "sv equal to the last ev",
        silent: "while the client may not have received the change (it shows so by a heartbeat "
            + "or version, or half a minute passed; 0.9 s where it was seen to react within half a "
            + "second and nothing is held back), while it had to reload the object, for changes sent "
            + "again, also of an earlier slow connection that lost them",
        cause: "does not store ev when its change is acknowledged"
    )

    static let stuckSource = Rule(
        "simperium.change.stuck-sv", .warning,
        title: "The sv of changes follows their ev.",
        source: "Observed: simperium-android #112; Diagnosis/Catalogue.md#r12",
        follows: "changes of the object in a row that are for past versions",
        evidence: "the third of them",
        expects: "sv equal to the last ev",
        silent: "as sv-behind",
        cause: "never stores ev"
    )

    static let editsRemoved = Rule(
        "simperium.change.edits-removed", .error,
        title: "An object whose removal was received is not edited.",
        source:
            "Simperium/Specification.md#remote-changes: \"If change.o is - remove the entity from "
            + "the local store\"; Simperium/Specification.md#error-404; Diagnosis/Catalogue.md#r65",
        follows: "the removals that the client received on this channel",
        evidence: "a change with sv and without d of an object that is removed",
        expects: "nothing, or a new object: without sv",
        silent:
            "while the client may not have received the removal, as sv-behind; after an error for "
            + "the object",
        cause: "ignores o \"-\", or removes the object from its ghosts only"
    )

    static let lateEntity = Rule(
        "simperium.change.late-entity", .warning,
        title: "An answer to e that is older than a change is not applied.",
        source: "Simperium/Specification.md#reloading; observed: simplenote-android "
            + "#1006; Diagnosis/Catalogue.md#r64",
        follows: "changes and answers to e in their order",
        evidence: "a change for the version of an answer to e that came after a newer change",
        expects: "to keep the newer version",
        silent: "while the client may not have received the newer one",
        cause: "applies answers to e without comparing versions"
    )

    static let secondInFlight = Rule(
        "simperium.change.second-in-flight", .error,
        title: "An object has one unanswered change at a time.",
        source: "Simperium/Specification.md#acknowledgements: \"flag the change as sent but "
            + "not yet acknowledged until it receives a c response\"; Diagnosis/Catalogue.md#r13",
        follows: "what each client sent and what was answered",
        evidence: "a new change of an object on the same connection before the last was "
            + "answered",
        expects: "to wait, and then send what is left as one change",
        silent: "where bytes are missing, or the answer was lost on the way",
        cause: "keeps no change in flight per object; two tabs as one client"
    )

    static let foreignAnswer = Rule(
        "simperium.change.foreign-answer", .error,
        title: "Only a c with the change's own ccid answers it.",
        source:
            "Simperium/Specification.md#acknowledgements: \"until it receives a c response from the server "
            + "containing the ccid that was sent\"; Diagnosis/Catalogue.md#r63",
        follows: "what is not answered, and changes of others",
        evidence: "a new change of the object within a second after a change of another client, "
            + "before the answer",
        expects: "to wait for the own ccid",
        silent: "as second-in-flight; an error rather than a warning because two changes are in "
            + "flight",
        cause: "treats any c as its acknowledgement"
    )

    static let resentUnderNewCCID = Rule(
        "simperium.change.resend-under-new-ccid", .warning,
        title: "An unanswered change is sent again under its own ccid.",
        source:
            "Simperium/Specification.md#changes: \"ccid : a unique uuid to identify this specific "
            + "change\"; observed: duplicates on the server are detected by clientid and ccid "
            + "(simperium-android #56)",
        follows: "changes that were not answered",
        evidence: "another ccid with the same sv for the object on the next connection, or for the "
            + "same change on the same one; then an error where it inserts text",
        expects: "the same bytes again, so that the server can detect that it has them (409)",
        silent: "where bytes are missing, or the answer was seen",
        cause: "does not store the ccid with the pending change"
    )

    static let ccidWithOtherContent = Rule(
        "simperium.change.ccid-with-other-content", .error,
        title: "A change that is sent again is the same.",
        source: "Simperium/Specification.md#changes: ccid \"to identify this specific change\"; "
            + "Diagnosis/Catalogue.md#r14",
        follows: "what was sent under each ccid",
        evidence: "the same ccid with another o, sv, v or d, with no reason to change it",
        expects: "the same bytes",
        silent: "after 404, 405, 417 and 440, where d is to be added",
        cause: "makes the diff again when it resends"
    )

    static let ccidOfAnotherObject = Rule(
        "simperium.change.ccid-of-another-object", .error,
        title: "A ccid belongs to one change of one object.",
        source:
            "Simperium/Specification.md#changes: \"ccid : An unique identifier for a specific change "
            + "operation\"; Diagnosis/Catalogue.md#r15",
        follows: "what was sent under each ccid",
        evidence: "one ccid for two keys",
        expects: "a new ccid for each change",
        silent: "never, beside the conditions of all rules"
    )

    static let ccidReused = Rule(
        "simperium.change.ccid-reused", .error,
        title: "A change that the server accepted is not sent again.",
        source:
            "Simperium/Specification.md#acknowledgements: \"If the change was successful the client can consider "
            + "the local representation as up to date\"; Diagnosis/Catalogue.md#r15",
        follows: "what was sent under each ccid and answered",
        evidence: "the ccid again after its acknowledgement, on the same connection",
        expects: "nothing, or a new ccid for a new change",
        silent: "where the acknowledgement may have crossed it, or its connection ended",
        cause: "does not remove an acknowledged change from its queue"
    )

    static let duplicateEdit = Rule(
        "simperium.change.duplicate-edit", .warning,
        title: "An edit that the server has is not sent as another.",
        source:
            "Simperium/Specification.md#error-409: \"duplicate change\"; Diagnosis/Catalogue.md#r16; observed: "
            + "simperium-js, electron #1579, #2386",
        follows: "the last change of each object that the server made",
        evidence: "the same v for the same sv under another ccid",
        expects: "nothing: the edit is made",
        silent: "where the client was informed that it was not made, or the object was removed "
            + "since",
        cause: "makes its diff from a ghost that it did not move when the change was "
            + "acknowledged"
    )

    static let removeWhilePending = Rule(
        "simperium.change.remove-while-pending", .error,
        title: "An object is removed after its last change was answered.",
        source: "Simperium/Specification.md#acknowledgements; observed: simperium-android "
            + "#42, #159; Diagnosis/Catalogue.md#r55",
        follows: "what each client sent and what was answered",
        evidence: "a removal on the same connection before the last modification was answered",
        expects: "to wait for the answer",
        silent: "as second-in-flight"
    )

    static let removeRefused = Rule(
        "simperium.change.remove-refused", .info,
        title: "A removal conforms to the schema of the bucket.",
        source: "Observed: Simplenote's notes must be modified to deleted=true before they are "
            + "removed (simperium-android #42, #159); Diagnosis/Catalogue.md#r55",
        follows: "nothing",
        evidence: "400 for a removal",
        expects: "a last modification that the schema requires, and then the removal",
        silent: "never; only of interest, because no schema is seen on the wire"
    )
}
