import Wire

/// Rules of finding groups.
extension SimperiumFindingGroups {
    static let ghostWriting = Rule(
        "simperium.story.ghost-writing", .error,
        title: "Acknowledged text is not inserted again.",
        source: "Observed: simplenote-electron #1787; Diagnosis/Catalogue.md#r36",
        follows: "findings of its parts",
        evidence: "repeats-insert twice for one object within an hour",
        expects: "each text once",
        silent: "where its parts are silent",
        cause: "rebases acknowledged edits again, so that they are inserted once more"
    )

    static let lostEdit = Rule(
        "simperium.story.lost-edit", .error,
        title: "Edits are not lost.",
        source: "Simperium/Specification.md#acknowledgements; Diagnosis/Catalogue.md#r35, #r53",
        follows: "findings of its parts",
        evidence: "two edits that were never sent again, were forgotten or were taken back by the "
            + "client itself",
        expects: "each edit on the server",
        silent: "where its parts are silent",
        cause: "keeps its pending changes in memory only, or loses them when it rebases"
    )

    static let echo = Rule(
        "simperium.story.echo", .error,
        title: "Remote changes are not sent back.",
        source: "Observed: simperium-android #58, simperium-ios #130; Diagnosis/Catalogue.md#r37",
        follows: "findings of its parts",
        evidence: "echo or echo-of-removal twice for one client within an hour",
        expects: "only changes of the user",
        silent: "where its parts are silent",
        cause: "treats what it applied as edits of the user"
    )

    static let stuckKey = Rule(
        "simperium.story.stuck-key", .warning,
        title: "An object does not get stuck.",
        source: "Observed: node-simperium, simplenote-electron #3387; Diagnosis/Catalogue.md#r21",
        follows: "findings of its parts",
        evidence: "two findings of stuck-key, not-sent-whole or no-cv-after-409 for one object",
        expects: "the object as the code requires it",
        silent: "where its parts are silent",
        cause: "keeps a refused change at the head of the object's queue"
    )

    static let duplicateStorm = Rule(
        "simperium.story.409-storm", .error,
        title: "A duplicate is not sent repeatedly.",
        source: "Observed: simperium-js, simplenote-electron #1579; Diagnosis/Catalogue.md#r17",
        follows: "findings of its parts",
        evidence: "three findings of resend-after-409 or no-cv-after-409 for one object within "
            + "ten minutes",
        expects: "cv, once",
        silent: "where its parts are silent",
        cause: "makes the same diff again after each 409 because its ghost does not move"
    )

    static let reindexLoop = Rule(
        "simperium.story.reindex-loop", .warning,
        title: "The index is not read repeatedly.",
        source: "Observed: simperium-ios #485, #409, #572; Diagnosis/Catalogue.md#r39, #r40",
        follows: "findings of its parts",
        evidence: "three findings about the index read again within an hour",
        expects: "cv with the last change version",
        silent: "where its parts are silent",
        cause: "reads the index again where one e would do, or never stores the change version"
    )

    static let reconnectStorm = Rule(
        "simperium.story.reconnect-storm", .warning,
        title: "Reconnections have pauses that grow.",
        source: "Observed: simperium-ios #385, go-simperium; Diagnosis/Catalogue.md#r51",
        follows: "findings of its parts",
        evidence:
            "two findings about reconnections without a pause or with a refused token within an hour",
        expects: "pauses that grow",
        silent: "where its parts are silent",
        cause: "reconnects from its close handler"
    )

    static let doubleText = Rule(
        "simperium.story.double-text", .error,
        title: "An edit is made once.",
        source: "Observed: simplenote-electron #1579, #2386; Diagnosis/Catalogue.md#r16",
        follows: "the last change of each object that the server made, and edits sent again "
            + "under another ccid",
        evidence: "the server applies the same insertion of the same version a second time",
        expects: "the edit once",
        silent: "where the client was informed that the first was not made",
        cause: "sends the edit under a new ccid, by which the server cannot recognize it"
    )

    static let fullResendLoop = Rule(
        "simperium.story.full-resend-loop", .error, repetition: .topic,
        title: "An object that is refused as a whole is not sent as a whole repeatedly.",
        source: "Observed: simperium-android #93, #128; Diagnosis/Catalogue.md#r26",
        follows: "changes with d that the server refused in a row",
        evidence: "the fifth after four that were refused",
        expects: "to reload the object, or to inform the user",
        silent: "for refusals that Tapedeck made",
        cause: "answers 405 with d and the sv that was wrong"
    )
}
