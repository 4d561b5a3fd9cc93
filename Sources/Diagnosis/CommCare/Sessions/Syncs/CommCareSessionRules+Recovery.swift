import Wire

/// Rules across messages about 412, state and what follows a sync.
extension CommCareSessionRules {
    /// Those of this file.
    static let recovery: [Rule] = [
        incrementalAfter412, noRecoveryAfter412, fullRepeated, skipsFixtures, refusesFull,
        tokenReused, fullForIncremental, stateHash, missingAfterClaim, fullAgain,
        givenUp,
    ]

    /// After a 412 the next sync is incremental again.
    static let incrementalAfter412 = Rule(
        "commcare.sync.incremental-after-412", .error,
        title: "After a 412 the next sync is incremental again.",
        source:
            "OpenRosa/Specification.md#code-412: \"412: An incremental sync is not possible. The client "
            + "should perform a non-incremental sync\"; Diagnosis/Catalogue.md#c08.",
        follows:
            "the last 412 that the user of the device received, until a full restore is requested",
        evidence: "the next restore request after the 412 still has since or state",
        expects: "One restore without since, state and X-CommCareHQ-LastSyncToken.",
        silent: "the 412 was cut or late, or the request began before it was received",
        cause: "412 is treated like any other failure and the sync is tried again as it was")

    /// After a 412 the client goes on without a full sync.
    static let noRecoveryAfter412 = Rule(
        "commcare.sync.no-recovery-after-412", .error,
        title: "After a 412 the client goes on without a full sync.",
        source:
            "OpenRosa/Specification.md#code-412: \"412: … should perform a non-incremental sync\"; "
            + "Diagnosis/Catalogue.md#c09.",
        follows:
            "the last 412 that the user of the device received, and what the client does after it",
        evidence:
            "another request of the same user more than a minute after the 412, and no restore "
            + "between",
        expects: "One restore without since, state and X-CommCareHQ-LastSyncToken, at once.",
        deadlineNanoseconds: 60_000_000_000,
        silent: "the client sends nothing more, as it may have been closed; Tapedeck did something "
            + "to the traffic after the 412",
        cause: "412 ends the sync with a message and it is not stored that the state has to be "
            + "replaced")

    /// A full restore that was refused with 412 is requested again at once.
    static let fullRepeated = Rule(
        "commcare.sync.full-repeated-after-412", .warning,
        title: "A full restore that was refused with 412 is requested again at once.",
        source:
            "Diagnosis/Catalogue.md#c08, #c10, OpenRosa/Specification.md#code-412: after a second 412 nothing is lost and the "
            + "user is informed.",
        follows: "a full restore after a 412 that is answered with 412 too",
        evidence: "the same full restore within two seconds of the second 412",
        expects: "The old state is kept and the user is informed.",
        silent: "the second 412 was cut or late; a user may have retried from a new run of the "
            + "program",
        cause: "the recovery calls itself without counting")

    /// The full restore after a 412 leaves out the fixtures.
    static let skipsFixtures = Rule(
        "commcare.sync.recovery-skips-fixtures", .warning,
        title: "The full restore after a 412 leaves out the fixtures.",
        source: "Diagnosis/Catalogue.md#c79 (CommCare HQ ignores it there, other servers do not).",
        follows: "the last 412 that the user of the device received",
        evidence: "skip_fixtures=true in the restore after it",
        expects: "A full restore with everything in it.",
        silent: "the request was changed by Tapedeck",
        cause: "the flag of the refused sync is passed on to the recovery")

    /// A restore that failed for a reason that may pass is never requested again.
    static let givenUp = Rule(
        "commcare.sync.given-up", .info, repetition: .topic,
        title: "A restore that failed for a reason that may pass is never requested again.",
        source: "OpenRosa/Specification.md#rate-limits; Diagnosis/Catalogue.md#c90.",
        follows: "the last restore of the user of the device",
        evidence:
            "another request of the user more than ten minutes after 408, 425, 429, 5xx or "
            + "no answer to a restore, and no restore between",
        expects: "The same request once Retry-After is over.",
        deadlineNanoseconds: 600_000_000_000,
        silent:
            "the client sends nothing more, as it may have been closed; Tapedeck did something to "
            + "the traffic since; only information, as a person may wait")

    /// A device that could sync requests everything, each time.
    static let fullAgain = Rule(
        "commcare.sync.full-again", .warning, repetition: .topic,
        title: "A device that has a sync token requests everything, each time.",
        source:
            "OpenRosa/Specification.md#sync-tokens (since names the last restore, and the answer has what is new); Diagnosis/Catalogue.md#c89.",
        follows: "the restores of the user of the device, and whether it uses their tokens",
        evidence: "the third full restore in a row, each after one that the device took and whose "
            + "token it has sent with a form",
        expects: "since with the last token, and state.",
        silent: "the restore before was refused, broken or not taken; the device did not send its "
            + "token; it syncs at least once between",
        cause: "the token is kept for submissions and not for the sync")

    /// A restore without since is answered with 412.
    static let refusesFull = Rule(
        "commcare.server.412-to-full-restore", .warning, blames: .server,
        title: "A restore without since is answered with 412.",
        source: "OpenRosa/Specification.md#code-412: \"412: An incremental sync is not possible\"; "
            + "Diagnosis/Catalogue.md#c10.",
        follows: "one exchange",
        evidence: "412 to a restore that has no since",
        expects: "A full restore, or a code for the actual error.",
        silent: "Tapedeck made or changed the answer or the request; the requested version is "
            + "unknown",
        cause: "any failure of a restore is answered with 412, so that clients recover without end")

    /// One restore_id is issued with different contents.
    static let tokenReused = Rule(
        "commcare.server.token-reused", .warning, blames: .server,
        title: "One restore_id is issued with different contents.",
        source:
            "Diagnosis/Catalogue.md#c61 (one sync log belongs to one response; a cached response repeats "
            + "byte by byte).",
        follows: "the digest of each restore by its restore_id",
        evidence: "two complete restores with the same restore_id and different bytes",
        expects: "A new restore_id for every new restore.",
        silent: "Tapedeck touched one of them, or one was not received completely")

    /// An incremental sync is answered with everything again.
    static let fullForIncremental = Rule(
        "commcare.server.full-for-incremental", .info, blames: .server,
        title: "An incremental sync is answered with everything again.",
        source: "Diagnosis/Catalogue.md#c61.",
        follows: "the cases that the device has",
        evidence: "the answer to since creates every case that the device has, ten at least",
        expects: "What has changed since the token.",
        silent: "the cases of the device are not known, or are fewer than ten")

    /// The state hash is not that of the cases that the device received and submitted.
    static let stateHash = Rule(
        "commcare.sync.state-hash", .error,
        title: "The state hash is not that of the cases that the device received and submitted.",
        source:
            "Diagnosis/Catalogue.md#c11, OpenRosa/Specification.md#state-hash (state is ccsh: and the XOR of the MD5 of all case "
            + "ids).",
        follows: "the cases of the full restore, the incremental ones after it and the accepted "
            + "forms",
        evidence: "state of an incremental sync differs from the hash of those cases, before and "
            + "after the purge of a device",
        expects: "ccsh: and the XOR of the MD5 of the ids of all cases on the device.",
        silent:
            "the full restore was not seen, or anything after it did not certainly arrive; only "
            + "information where cases were closed, changed owner, extend others or belong to "
            + "another user, or a form was refused, and a warning where the server refuses a state "
            + "that lacks cases with 412, too, or where a form was cut off that may explain it",
        cause: "a case is counted twice, forgotten when it is created by a form, or hashed in "
            + "another spelling")

    /// A case was claimed and the device does not sync.
    static let missingAfterClaim = Rule(
        "commcare.sync.missing-after-claim", .warning,
        title: "A case was claimed and the device does not sync.",
        source:
            "Diagnosis/Catalogue.md#c80 (201 of claim-case: the device lacks the case, or has an old one).",
        follows: "the last claim answered with 201",
        evidence: "another request of the user more than a minute later, and no restore between",
        expects: "A sync after 201.",
        deadlineNanoseconds: 60_000_000_000,
        silent: "the client sends nothing more; the answer was cut or late; Tapedeck did something "
            + "to the traffic since",
        cause: "201 and 204 of claim-case are treated alike")
}
