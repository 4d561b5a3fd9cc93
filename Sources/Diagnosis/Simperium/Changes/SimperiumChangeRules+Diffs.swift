import Wire

/// Rules about what changes do to their objects.
extension SimperiumChangeRules {
    static let ofDiffs: [Rule] = [
        dataDiffers, deltaLength, halfPair, nothing, doesNotApply, overwrites, wholeText,
        echo, echoOfRemoval,
    ]

    static let dataDiffers = Rule(
        "simperium.change.data-differs", .warning,
        title: "d is the result of applying v to the object.",
        source:
            "Simperium/Specification.md#changes: \"d : Optional the whole data object\"; Diagnosis/Catalogue.md#r25",
        follows: "the data of objects at their versions",
        evidence:
            "d that differs from the result of v; an error where members of that are not in d",
        expects: "d and v made from the same object",
        silent: "the data of the object at this version were not received since the capture began, "
            + "or bytes are missing; where v cannot be applied",
        cause: "takes d from later edits than v, or from the ghost, or only the members that were "
            + "edited"
    )

    static let deltaLength = Rule(
        "simperium.diff.wrong-length", .error,
        title: "A delta is for all of the text, counted in UTF-16 code units.",
        source:
            "Simperium/Specification.md#error-440: \"Client is sending string diffs and using a "
            + "different encoding than server\"; Diagnosis/Catalogue.md#r30; observed: go-simperium, "
            + "simperium-android #32",
        follows: "the data of objects at their versions",
        evidence: "a delta whose counts are not the length of the text at sv",
        expects: "counts in UTF-16 code units, as in JavaScript and Java",
        silent: "the data of the object at this version were not received since the capture began, "
            + "or bytes are missing"
    )

    static let halfPair = Rule(
        "simperium.diff.half-pair", .error,
        title: "A delta does not cut a character in two.",
        source:
            "Simperium/Specification.md#error-440: \"bad delta\"; Diagnosis/Catalogue.md#r31; observed: "
            + "node-simperium #91, #97",
        follows: "the data of objects at their versions",
        evidence: "a delta that leaves half a surrogate pair",
        expects: "to move the cut to the edge of the character",
        silent: "the data of the object at this version were not received since the capture began, "
            + "or bytes are missing",
        cause: "uses diff-match-patch without the correction for surrogate pairs"
    )

    static let nothing = Rule(
        "simperium.diff.nothing", .warning,
        title: "A change changes something.",
        source:
            "Simperium/Specification.md#error-412: \"412 : empty change\"; Diagnosis/Catalogue.md#r32",
        follows: "the data of objects at their versions",
        evidence: "v that is empty or leaves the object as it is at sv",
        expects: "nothing to be sent",
        silent: "the data of the object at this version were not received since the capture began, "
            + "or bytes are missing; where d is given",
        cause: "compares numbers by their text (1 and 1.0), or sends when nothing was edited"
    )

    static let doesNotApply = Rule(
        "simperium.diff.does-not-apply", .error,
        title: "An operation fits what it is for.",
        source:
            "Simperium/Specification.md#error-440: \"440 : invalid diff (wrong key, bad delta)\"; "
            + "Diagnosis/Catalogue.md#r33",
        follows: "the data of objects at their versions",
        evidence: "d of a value that is not a string, - of a missing member, I of a value that "
            + "is not a number, O of one that is not an object, L of one that is not a list or "
            + "beyond its end",
        expects: "operations made from the object at sv",
        silent: "the data of the object at this version were not received since the capture began, "
            + "or bytes are missing"
    )

    static let overwrites = Rule(
        "simperium.diff.overwrites", .error,
        title: "+ adds a member that is not there.",
        source:
            "Simperium/Specification.md#diffs: \"compatible with jsondiff\"; Diagnosis/Catalogue.md#r33",
        follows: "the data of objects at their versions",
        evidence: "+ of a member that the object has at sv",
        expects: "r, or the diff of both",
        silent: "the data of the object at this version were not received since the capture began, "
            + "or bytes are missing",
        cause: "makes its diff from an empty object"
    )

    static let wholeText = Rule(
        "simperium.diff.whole-text", .warning,
        title: "Texts are sent as deltas.",
        source:
            "Simperium/Specification.md#diffs: string to string is d; Diagnosis/Catalogue.md#r34; observed: simperium-ios #538",
        follows: "the data of objects at their versions",
        evidence: "r, + or a delta without any = that replaces a text of 32 or more code units "
            + "of which three quarters stay",
        expects: "a delta of what was edited, so that edits of others survive",
        silent: "the data of the object at this version were not received since the capture began, "
            + "or bytes are missing; for texts that have little in common",
        cause: "does not diff"
    )

    static let echo = Rule(
        "simperium.remote.echo", .error,
        title: "A remote change is not sent back.",
        source: "Simperium/Specification.md#remote-changes; Diagnosis/Catalogue.md#r37; observed: "
            + "simperium-android #58, simperium-ios #130",
        follows: "changes of other clients",
        evidence: "a change with the same v within a minute, for the version that the remote "
            + "change made or was for",
        expects: "nothing: the change is made",
        silent: "for additions to numbers and short values, which two users may do alike",
        cause: "treats what it applied as an edit of the user"
    )

    static let echoOfRemoval = Rule(
        "simperium.remote.echo-of-removal", .error,
        title: "A remote removal is not sent back.",
        source: "Simperium/Specification.md#remote-changes: \"If change.o is - remove "
            + "the entity from the local store\"; Diagnosis/Catalogue.md#r37",
        follows: "removals that the client received",
        evidence:
            "the removal of an object that is removed; a warning within a second, when both may "
            + "have crossed, information where the client may be slow",
        expects: "nothing",
        silent: "before it was received",
        cause: "removes the object through the code path of the user"
    )
}
