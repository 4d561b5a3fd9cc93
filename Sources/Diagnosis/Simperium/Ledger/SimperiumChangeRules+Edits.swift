import Wire

/// Rules about edits that are made twice, taken back or left out.
extension SimperiumChangeRules {
    static let ofEdits: [Rule] = [
        repeatsInsert, takesBack, broughtBack, undoesOwnMember, forgotten,
    ]

    static let repeatsInsert = Rule(
        "simperium.diff.repeats-insert", .error,
        title: "What the client has inserted and the server has is not inserted again.",
        source: "Simperium/Specification.md#error-409: \"client will know that "
            + "the server version of the object already incorporates the delta\"; "
            + "Simperium/Specification.md#reloading: \"a local transform of the modifications vs the diff\"; Diagnosis/Catalogue.md#r36; "
            + "observed: node-simperium, simplenote-electron #1787",
        follows:
            "texts of four or more code units, and elements of lists, of the last four changes "
            + "of the client for each object",
        evidence: "the same text right beside itself, or the same element, in the first change of "
            + "the object after the acknowledgement or a change of another client came twice, a "
            + "409, an error although the server made the change, a new connection, the whole "
            + "object or a change of another client; after the first four, eight or more code "
            + "units anywhere; a warning where it may have been typed again, two seconds after "
            + "the last three; the same eight or more code units at the moment when they were "
            + "acknowledged; a warning for a shorter text, five times in a row",
        expects: "nothing: it is there",
        silent: "the data of the object at this version were not received since the capture began, "
            + "or bytes are missing; for shorter texts and repeated characters; where nothing "
            + "happened since, or the client had the acknowledgement before it connected again or "
            + "loaded the object, and ten seconds passed; for clients that insert the same "
            + "again of their own accord",
        cause: "rebases an acknowledged edit once more (ghost-writing), or applies what came twice "
            + "a second time"
    )

    static let takesBack = Rule(
        "simperium.remote.taken-back", .error,
        title: "A change of another client is not taken back.",
        source: "Simperium/Specification.md#remote-changes: the change is applied to the "
            + "client's own object; Simperium/Specification.md#reloading: \"a local transform of the "
            + "modifications vs the diff\"",
        follows: "the last change of another client for each object, and the data before and after",
        evidence:
            "the first change of the client after it, for the version it made, that makes all "
            + "of its members exactly as before, or takes exactly the text out that it inserted: "
            + "within two seconds, or three times in a row; a warning within five seconds, or twice "
            + "in a row within a minute each",
        expects: "the diff of the user's edits only, from the object with the remote change",
        silent:
            "the data of the object before and after were not received since the capture began, "
            + "or bytes are missing; for single members of less than eight code units or ten "
            + "bytes, which chance or another user sets back, or four code units at the moment when "
            + "the client's own change is acknowledged; while an edit of the client is not "
            + "acknowledged",
        cause: "takes the remote change into its ghost and not into its object, and sends the "
            + "difference"
    )

    static let broughtBack = Rule(
        "simperium.remote.brought-back", .error,
        title: "An object that another client removed is not made again as it was.",
        source: "Simperium/Specification.md#remote-changes: \"If change.o is - remove "
            + "the entity from the local store\"; Diagnosis/Catalogue.md#r37",
        follows: "removals that the client received, and the data of the objects before",
        evidence: "a new object with the same key and exactly these data within two seconds; a "
            + "warning within five seconds",
        expects: "nothing: it is removed",
        silent:
            "the data were not received since the capture began, or bytes are missing; for less "
            + "than ten bytes; where the client removed it itself, or an edit of it was refused",
        cause:
            "removes the object from its ghosts and not from its store, and takes it for a new one"
    )

    static let undoesOwnMember = Rule(
        "simperium.diff.undoes-own-member", .warning,
        title: "A remote change or an answer that comes twice does not undo the client's own edit.",
        source: "Simperium/Specification.md#reloading: \"a local transform of the "
            + "modifications\"; Diagnosis/Catalogue.md#r35; observed: node-simperium returns from its transform "
            + "after the first key",
        follows:
            "the last acknowledged change of the client for each object, and changes of others",
        evidence:
            "within ten seconds after another client changed another member or an answer came "
            + "twice, and a minute after its own change was acknowledged, nothing but - of members "
            + "that it added; within two seconds, or where an answer came twice, all that it "
            + "changed as before, if that is eight or more code units; at the moment of the acknowledgement, three times in a row",
        expects: "to keep the edit",
        silent: "the data of the object at this version were not received since the capture began, "
            + "or bytes are missing; where the member was written by others",
        cause: "transforms only the first shared key of two diffs and loses the rest"
    )

    static let forgotten = Rule(
        "simperium.change.forgotten", .error,
        title: "A later change of an object has what was not accepted before.",
        source: "Simperium/Specification.md#acknowledgements: \"flag the change as sent but "
            + "not yet acknowledged\"; Simperium/Specification.md#error-440: \"resend the change with "
            + "additional parameter d\"; Diagnosis/Catalogue.md#r53; observed: simplenote-electron #1098, #1103",
        follows: "the last change of each object, until the server makes it",
        evidence: "after 404, 417, 440 or 5xx, after 405 where the object was not requested, or on "
            + "the next connection, a new change of the object in which all is as if the last had "
            + "never been, where nobody else changed that; or in which a text of four or more code "
            + "units is missing that the last inserted into another member; on the next connection, an "
            + "edit of an object whose removal was not answered",
        expects: "the last change again, or one that has its edits too",
        silent:
            "the data of the object at these versions were not received since the capture began, "
            + "or bytes are missing; within a second after the answer, which it may have crossed; "
            + "for switches and values of less than four code units or bytes, which the user may "
            + "have set back; where the same text was edited at the same place, or the object is "
            + "made anew",
        cause: "drops a change that is refused or whose connection ends, and loads the server's "
            + "object over it"
    )
}
