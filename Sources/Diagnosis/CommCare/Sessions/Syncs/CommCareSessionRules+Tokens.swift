import Wire

/// Rules across messages about tokens.
extension CommCareSessionRules {
    /// Those of this file.
    static let tokens: [Rule] = [
        tokenMissing, tokenStale, tokenDiffers, tokenOfAnotherUser, userIDOfAnother,
        tokenOfAnotherDevice, tokenTooOld, tokenOfBrokenRestore,
    ]

    /// A submission carries no sync token although the device has synced.
    static let tokenMissing = Rule(
        "commcare.submit.token-missing", .error, repetition: .client,
        title: "A submission carries no sync token although the device has synced.",
        source:
            "OpenRosa/Specification.md#sync-tokens: \"X-CommCareHQ-LastSyncToken: Last Successful Sync\"; "
            + "Diagnosis/Catalogue.md#c05.",
        follows:
            "the last restore that the user of the device certainly received, and whether the client "
            + "uses its restore_id",
        evidence:
            "a submission without X-CommCareHQ-LastSyncToken that began long after the restore "
            + "ended; reported when the client shows later that it has the token, half a minute "
            + "later, or at the end",
        expects: "X-CommCareHQ-LastSyncToken with the restore_id of the last complete restore on "
            + "every submission.",
        deadlineNanoseconds: 30_000_000_000,
        silent: "the restore was cut, changed, late or not usable; a demonstration or device log; "
            + "the submitting user is unknown; the next sync is a full one, once, as after a "
            + "crash; bytes are missing",
        cause: "the header is set where restores are requested and not where forms are sent, so "
            + "that the server does not count the form for this device and answers the next sync "
            + "with 412")

    /// A request carries a sync token that a newer restore has replaced.
    static let tokenStale = Rule(
        "commcare.sync.token-stale", .error, repetition: .client,
        title: "A request carries a sync token that a newer restore has replaced.",
        source:
            "OpenRosa/Specification.md#sync-tokens: \"Last Successful Sync\"; Diagnosis/Catalogue.md#c06.",
        follows: "the tokens given to the user of the device, in order, and which one the client "
            + "last used",
        evidence: "an older token in since or X-CommCareHQ-LastSyncToken after a newer restore "
            + "was certainly received; reported when the client shows that it has the newer one, half a "
            + "minute later, or at the end",
        expects: "The restore_id of the last complete restore.",
        deadlineNanoseconds: 30_000_000_000,
        silent:
            "the newer restore was cut, changed, late or not usable; the client continues to "
            + "sync from the old token, once, as after a crash; the older token was not seen to be "
            + "issued",
        cause: "the token is stored when the sync begins, from a 202, or only at sign-in")

    /// since and X-CommCareHQ-LastSyncToken of one request differ.
    static let tokenDiffers = Rule(
        "commcare.sync.token-differs", .warning, repetition: .client,
        title: "since and X-CommCareHQ-LastSyncToken of one request differ.",
        source: "Diagnosis/Catalogue.md#c07 (CommCare Android makes both from one value).",
        follows: "one request",
        evidence: "a restore with both, and two values",
        expects: "The same token in both places.",
        silent: "Tapedeck changed the request, or one of them is missing",
        cause: "the two are read from different places, one of which is not brought up to date")

    /// A user sends the sync token of another user.
    static let tokenOfAnotherUser = Rule(
        "commcare.sync.token-of-another-user", .warning, repetition: .topic,
        title: "A user sends the sync token of another user.",
        source:
            "Diagnosis/Catalogue.md#c06, #c71 (CommCare HQ: SyncLogUserMismatch, answered with 412).",
        follows: "which user each restore_id was given to",
        evidence: "a token in a request with other credentials",
        expects: "The token of the user's own last restore, or a full restore where there is none.",
        silent:
            "one of the two was sent on behalf of another user, has no name, or the restore was "
            + "not seen",
        cause: "the token is stored per device instead of per user")

    /// A restore is requested with the user_id of another user.
    static let userIDOfAnother = Rule(
        "commcare.sync.user-id-of-another", .warning, repetition: .topic,
        title: "A restore is requested with the user_id of another user.",
        source:
            "Diagnosis/Catalogue.md#c71 (CommCare HQ: 412 where user_id is not the authenticated user).",
        follows: "the uuid in the Registration of each user",
        evidence: "user_id of a restore is the uuid registered for another user of this server",
        expects: "user_id of the user who signs in.",
        silent:
            "the user's own Registration was not seen; the request is on behalf of another user",
        cause: "the identifier of the user before is kept when another user signs in")

    /// Two devices use one sync token.
    static let tokenOfAnotherDevice = Rule(
        "commcare.sync.token-of-another-device", .warning, repetition: .topic,
        title: "Two devices use one sync token.",
        source: "Diagnosis/Catalogue.md#c72 (a sync log of CommCare HQ is what one device has).",
        follows: "which device each restore_id was given to",
        evidence: "a token in a request with another device id",
        expects: "A full restore on a new device.",
        silent: "one of the devices names no id, or the restore was not seen",
        cause:
            "the device id is generated again at each start, or the state was copied to a second "
            + "device")

    /// A request carries the sync token of a restore that is not well-formed.
    static let tokenOfBrokenRestore = Rule(
        "commcare.sync.token-of-broken-restore", .error, repetition: .client,
        title: "A request carries the sync token of a restore that is not well-formed.",
        source:
            "Diagnosis/Catalogue.md#c06, #c87 (CommCare Android stores the token after a complete "
            + "parse).",
        follows: "the restores that the device received, and the tokens in them",
        evidence: "since or X-CommCareHQ-LastSyncToken with the restore_id of a restore that ended "
            + "early or is no XML, and that came in no other",
        expects: "The token of the last restore that was read to its end, and that restore again.",
        silent: "the end of the restore did not reach the device, or was not captured",
        cause: "the token is stored when it is read, and not when the whole restore is stored")

    /// An incremental sync is requested with a token that the server no longer has.
    static let tokenTooOld = Rule(
        "commcare.sync.token-too-old", .warning, repetition: .client,
        title: "An incremental sync is requested with a token that the server no longer has.",
        source: "Diagnosis/Catalogue.md#c72 (CommCare HQ keeps sync logs for 63 days).",
        follows: "one request",
        evidence: "since together with days_since_last_sync above 63",
        expects: "A full restore.",
        silent: "days_since_last_sync is missing or not a number")
}
