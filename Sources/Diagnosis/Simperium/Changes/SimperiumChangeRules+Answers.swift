import Wire

/// Rules about what follows an answer, or the lack of one.
extension SimperiumChangeRules {
    static let ofAnswers: [Rule] = [
        afterDuplicate, noCatchUp, afterEmpty, afterTooLarge, stuckKey, afterInvalid,
        diffAfterBadVersion, diffAfterInvalidDiff, notSentWhole, diffAfterNotFound, sameToken, rate,
        retryAtOnce, neverResent,
    ]

    static let afterDuplicate = Rule(
        "simperium.change.resend-after-409", .error,
        title: "A change that was answered with 409 is not sent again.",
        source: "Simperium/Specification.md#error-409: \"client should stop "
            + "sending this change and retrieve changes since its last syncd cv\"; Diagnosis/Catalogue.md#r17",
        follows: "answers to changes",
        evidence: "the same change again, under the same or another ccid",
        expects: "cv with the last change version",
        silent: "where the answer may have crossed it, or was sent on a connection that ended",
        cause: "makes the same diff again because its ghost did not move"
    )

    static let noCatchUp = Rule(
        "simperium.change.no-cv-after-409", .error,
        title: "After 409 the client asks for the missed changes.",
        source: "Simperium/Specification.md#error-409: \"retrieve changes since "
            + "its last syncd cv to process the changes list from the server\"; Diagnosis/Catalogue.md#r18",
        follows: "answers to changes and the requests of the client",
        evidence: "another change 0.9 s later with no cv, i or e before it; or none of them within "
            + "five minutes; and nothing received about the object",
        expects: "cv with the last change version",
        deadlineNanoseconds: 300_000_000_000,
        silent: "where the connection or session ends before, Tapedeck does something to the "
            + "connection, or the client sends nothing more",
        cause: "drops the change and continues with its old version"
    )

    static let afterEmpty = Rule(
        "simperium.change.resend-after-412", .error,
        title: "A change that was answered with 412 is not sent again.",
        source: "Simperium/Specification.md#error-412: \"nothing was changed on "
            + "the server, client can ignore (and stop sending change)\"; Diagnosis/Catalogue.md#r19",
        follows: "answers to changes",
        evidence: "the same change again, under the same or another ccid",
        expects: "nothing",
        silent: "where the answer may have crossed it, or was sent on a connection that ended"
    )

    static let afterTooLarge = Rule(
        "simperium.change.resend-after-413", .error,
        title: "After 413 the object is sent only if it has become smaller.",
        source: "Simperium/Specification.md#error-413: \"Nothing to do except "
            + "reduce the size of the object\"; Diagnosis/Catalogue.md#r20",
        follows: "answers to changes and the size of objects",
        evidence: "the same change, or after two refusals one that leads to an object of the "
            + "same size or more",
        expects: "a smaller object, or nothing",
        silent: "where the answer may have crossed it, or was sent on a connection that ended, or "
            + "the size is not known",
        cause: "retries every error"
    )

    static let stuckKey = Rule(
        "simperium.change.stuck-key", .warning,
        title: "A refused change is not forgotten.",
        source: "Simperium/Specification.md#errors; "
            + "Diagnosis/Catalogue.md#r21; observed: node-simperium, electron #3387",
        follows: "answers to changes and what follows",
        evidence:
            "nothing of the object for half a minute after a server error, doubled with each, "
            + "or ten minutes after 400, 401, 405 and 413, while three or more other changes were sent",
        expects:
            "after 5xx the same change again; after 400, 401 and 413 to inform the user; after "
            + "405 the whole object",
        deadlineNanoseconds: 600_000_000_000,
        silent: "where the connection or session ends before, or Tapedeck does something to the "
            + "connection; after 400, 401, 405 and 413 it is information, because nothing may have been edited",
        cause: "keeps the refused change in the queue of the object, with all later ones after "
            + "it"
    )

    static let afterInvalid = Rule(
        "simperium.change.resend-after-400", .error,
        title: "A change that was answered with 400 is not sent again as it was.",
        source: "Simperium/Specification.md#error-400: \"do not re-send since "
            + "unless something changes, 400 will be sent every time\"; Diagnosis/Catalogue.md#r22",
        follows: "answers to changes",
        evidence: "the same change again, under the same or another ccid",
        expects: "something else, or nothing",
        silent: "where the answer may have crossed it, or was sent on a connection that ended; for "
            + "removals under another ccid, which the user may request again"
    )

    static let diffAfterBadVersion = Rule(
        "simperium.change.diff-after-405", .error,
        title: "After 405 the client reloads the object or sends it whole.",
        source: "Simperium/Specification.md#error-405: \"re-load the entity (via "
            + "e command) … send a change with full object … referencing the current sv\"; "
            + "Diagnosis/Catalogue.md#r23",
        follows: "answers to changes and the requests of the client",
        evidence: "another change for the same sv without d, with no e, i or cv before it",
        expects: "e with the key, or the change with d",
        silent: "where the answer may have crossed it, or was sent on a connection that ended, or "
            + "the client received the object meanwhile"
    )

    static let diffAfterInvalidDiff = Rule(
        "simperium.change.diff-after-440", .error,
        title: "After 417 and 440 the change is sent with the whole object.",
        source: "Simperium/Specification.md#error-440: \"resend the change with "
            + "additional parameter d that contains the whole JSON data object\"; Diagnosis/Catalogue.md#r24",
        follows: "answers to changes",
        evidence: "another change for the same sv without d",
        expects: "the change with d",
        silent: "where the answer may have crossed it, or was sent on a connection that ended, or "
            + "the refused change had d, or the client reloaded the object",
        cause: "sends the old diff once more"
    )

    static let notSentWhole = Rule(
        "simperium.change.not-sent-whole", .error,
        title: "After 404 and 440 the object is sent with its whole data.",
        source: "Simperium/Specification.md#error-404, #error-440: \"By default "
            + "client should send the change with full object (this will re-create the object)\"; "
            + "Diagnosis/Catalogue.md#r27",
        follows: "answers to changes and what follows",
        evidence: "nothing of the object for five seconds while three or more other changes were "
            + "sent, a warning; or for two minutes: an error where that is so for two "
            + "objects and never otherwise, else information, because the app may have undone its "
            + "edit",
        expects: "the change with d",
        deadlineNanoseconds: 120_000_000_000,
        silent: "where the connection or session ends before, the client requests or receives "
            + "the object, or Tapedeck does something to the connection",
        cause: "drops the change on 404"
    )

    static let diffAfterNotFound = Rule(
        "simperium.change.diff-after-404", .error,
        title: "After 404 a change has the whole object.",
        source: "Simperium/Specification.md#error-404: \"Client is referencing "
            + "an object that does not exist on server\"; Diagnosis/Catalogue.md#r27",
        follows: "answers to changes",
        evidence: "another change with sv and without d",
        expects: "the change with d, or without sv as a new object",
        silent: "where the answer may have crossed it, or was sent on a connection that ended, or "
            + "the client received the object meanwhile"
    )

    static let sameToken = Rule(
        "simperium.change.same-token-after-401", .error, repetition: .client,
        title: "After 401 the client gets another token.",
        source: "Simperium/Specification.md#error-401: \"Grab a new "
            + "authentication token (or possible you just don't have access to that document)\"; "
            + "Diagnosis/Catalogue.md#r28",
        follows: "answers to changes on a channel",
        evidence: "the same ccid again on the same channel, or another change after five in a "
            + "row were refused",
        expects: "init with a new token",
        silent: "where the answer may have crossed it, or was sent on a connection that ended"
    )

    static let rate = Rule(
        "simperium.change.rate", .warning, repetition: .client,
        title: "No more than 250 changes within a second.",
        source: "Observed: the server answers 503 above that; the importer of "
            + "simplenote-electron throttles itself; simperium-ios #220, node-simperium #70; "
            + "Diagnosis/Catalogue.md#r52",
        follows: "changes on a connection",
        evidence: "251 changes within a second of the session",
        expects: "to spread them over time",
        silent: "never, beside the conditions of all rules"
    )

    static let retryAtOnce = Rule(
        "simperium.change.retry-at-once", .warning, repetition: .client,
        title: "After a server error there is a pause before the change is sent again.",
        source: "Simperium/Specification.md#error-5xx: observed: 503 means that "
            + "too many changes are pending; Diagnosis/Catalogue.md#r52",
        follows: "answers to changes",
        evidence: "the third change on a channel that is sent again less than 0.2 s after 5xx",
        expects: "a pause that grows",
        silent: "where the answer may have crossed it"
    )

    static let neverResent = Rule(
        "simperium.change.never-resent", .error,
        title: "What was not answered is sent again on the next connection.",
        source: "Simperium/Specification.md#acknowledgements: \"flag the change as sent but "
            + "not yet acknowledged\"; Diagnosis/Catalogue.md#r53; observed: simplenote-electron #1098, #1103",
        follows:
            "changes that were not answered, or answered with 5xx, when their connection ended",
        evidence: "neither the change nor a mention of it after the client is up to date again: "
            + "when it sends a new change 20 s after that, or its second one 5 s after that and "
            + "20 s after the lost change; else within three minutes",
        expects: "the same bytes, once the answer to cv or the index is there",
        deadlineNanoseconds: 180_000_000_000,
        silent: "where the connection or session ends before, bytes are missing, Tapedeck does "
            + "something to the new connection, or the client sends nothing more",
        cause: "keeps unacknowledged changes in memory only, or empties its queue when the "
            + "connection closes"
    )
}
