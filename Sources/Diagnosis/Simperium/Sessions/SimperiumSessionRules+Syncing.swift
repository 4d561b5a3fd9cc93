import Wire

extension SimperiumSessionRules {
    static let syncing: [Rule] = [
        changeBeforeIndex, resendBeforeCV, readAgain, insteadOfCV, limit, requestForm, markSlot,
        unknownMark, pageAgain, unfinished, unknownIgnored, unknownRepeated, notAdvanced,
        placeholder, neverIssued,
    ]

    static let changeBeforeIndex = Rule(
        "simperium.session.change-before-index", .error, repetition: .topic,
        title:
            "Changes are sent after the index was read or the changes since the cv were received.",
        source:
            "\"After storing all of the objects from an index request the client will have a synced copy of the bucket and can now start sending and apply changes.\" (Simperium/Specification.md#entities); simperium-ios #193, #251, #253; Diagnosis/Catalogue.md#r07.",
        follows: "What the client requested on the channel and what it received.",
        evidence:
            "A change before any answer to i or cv, or while pages of the first index are missing.",
        expects: "i or cv first, then its answer to the last page, then the change.",
        silent:
            "The channel was in sync before on this connection. A warning where the change may be one that was sent before the capture.",
        cause: "The queue of changes starts with the socket and not with the end of the index.")

    static let resendBeforeCV = Rule(
        "simperium.session.resend-before-cv", .warning, repetition: .topic,
        title: "Unacknowledged changes are sent again after the answer to cv, not before.",
        source:
            "\"it should send a cv Change Version message\" (Simperium/Specification.md#reconnecting); observed of node-simperium, whose queue starts before its cv is sent; Diagnosis/Catalogue.md#r54.",
        follows: "Changes that were sent on an earlier connection and not answered.",
        evidence: "Such a change before any answer to cv or i on this connection.",
        expects: "cv, its answer, which may hold the acknowledgement, then the change.",
        silent: "The first sending was not seen.",
        cause: "The queue of changes starts with the socket.")

    static let readAgain = Rule(
        "simperium.index.read-again", .warning, repetition: .topic,
        title: "The index is not read again while its cv is valid.",
        source:
            "\"Downloading an entire index of data would be wasteful.\" (Simperium/Specification.md#reconnecting); simperium-ios #409, #485, #572; Diagnosis/Catalogue.md#r39.",
        follows: "Complete readings of the index, their size, and the reasons for another.",
        evidence:
            "The index is requested from its start for the third time, each within 60 s of its end with no reason seen, of a change refused with 405 or 413, or of changes that the server sent for the client's cv.",
        expects: "e for the one object that does not fit, or cv.",
        silent:
            "cv:?, i:?, an entity that is missing, another error, ?, a fault or a new connection was a reason, or the page had no current.",
        cause: "The client answers every inconsistency with a full index.")

    static let insteadOfCV = Rule(
        "simperium.index.instead-of-cv", .warning, repetition: .topic,
        title: "A client that was in sync requests changes after a reconnect, not the index.",
        source:
            "\"if a client already has local index data stored for a bucket it should send a cv Change Version message instead of an i message\" (Simperium/Specification.md#reconnecting); observed of go-simperium; Diagnosis/Catalogue.md#r39.",
        follows: "Whether the client was in sync, and which side ended the connection.",
        evidence:
            "i within 60 s after the server or a fault ended a connection on which the client was in sync; or on the second connection in a row, each within 60 s after one on which it was, whoever ended that.",
        expects: "CHANNEL:cv:CV with the cv it had.",
        minimumNanoseconds: 60 * SimperiumSessionTimes.second,
        silent:
            "The client ended the connection, once, which it does too when it stops for good; it had no cv, or was informed that it is unknown."
    )

    static let limit = Rule(
        "simperium.index.limit", .error, repetition: .client,
        title: "A request for the index has a limit of 1 to 1000.",
        source:
            "\"the client should issue an i command with a sane limit\" (Simperium/Specification.md#index); at most 1000 in Simperium's HTTP API; Diagnosis/Catalogue.md#r43.",
        follows: "Nothing.",
        evidence: "An i whose limit is 0, above 1000, missing or not a number.",
        expects: "CHANNEL:i::::500",
        silent: "The text was cut. A warning where it is missing, since it may be optional.")

    static let requestForm = Rule(
        "simperium.index.request-form", .warning, repetition: .client,
        title: "A request for the index has four slots: 1 or nothing, mark, nothing, limit.",
        source:
            "\"The index command takes four parameters sperated by colons\"; \"data : optional if 1 … otherwise omit entirely\" (Simperium/Specification.md#index).",
        follows: "Nothing.",
        evidence: "Other than four slots, or something other than 1 in the first.",
        expects: "CHANNEL:i:1:MARK::500", silent: "The text was cut.")

    static let markSlot = Rule(
        "simperium.index.mark-slot", .info, repetition: .client,
        title: "The mark is in the second slot.",
        source:
            "\"0:i::5119450b37a401031d3bfdb9::100\" (Simperium/Specification.md#first-sync); the prose has it third, and no client sends it there; Diagnosis/Catalogue.md#r43.",
        follows: "Nothing.", evidence: "A mark in the third slot.",
        expects: "CHANNEL:i::MARK::LIMIT", silent: "The second slot holds something.",
        cause: "The client was written after the prose of the specification.")

    static let unknownMark = Rule(
        "simperium.index.unknown-mark", .error, repetition: .topic,
        title: "A page is requested with a mark that the server sent.",
        source:
            "\"mark : a cursor to be used in another i: request to fetch the next page\" (Simperium/Specification.md#index); Diagnosis/Catalogue.md#r43.",
        follows: "The marks of the pages of the channel.",
        evidence: "A mark that no page on this channel had.",
        expects: "The mark of the last page, as it was.",
        silent:
            "No page was received yet, the mark is a number and may be an offset, or bytes are missing."
    )

    static let pageAgain = Rule(
        "simperium.index.page-again", .error, repetition: .topic,
        title: "A received page is not requested again in the same reading of the index.",
        source:
            "\"The client will know when it has received the entire index when it receives an i message without a mark.\" (Simperium/Specification.md#first-sync); Diagnosis/Catalogue.md#r43.",
        follows: "The marks that were requested since the reading began.",
        evidence:
            "A mark that was requested and answered; the first page four times in a row, with the same current, where it has a mark.",
        expects: "The mark of the last page received.",
        silent: "The server sent the same mark again, or the page was not received.",
        cause: "The client keeps the mark of the first page, or does not send it.")

    static let unfinished = Rule(
        "simperium.index.unfinished", .warning, repetition: .topic,
        title: "The index is read to its last page.",
        source:
            "\"If there are more objects than fit in this page the server will send a cursor under the key mark that the client can use to request the next page.\" (Simperium/Specification.md#first-sync); simperium-ios #257; Diagnosis/Catalogue.md#r44.",
        follows: "Pages with a mark, and the requests that follow.",
        evidence:
            "A page with a mark, and no request for the next while the client sends other commands.",
        expects: "CHANNEL:i::MARK::LIMIT", deadlineNanoseconds: SimperiumSessionTimes.page,
        silent:
            "The connection ends or is silent, entities are still being requested, the index is begun again, or a fault followed.",
        cause: "The client ignores mark.")

    static let unknownIgnored = Rule(
        "simperium.cv.unknown-ignored", .error, repetition: .topic,
        title: "After cv:? the index is read again.",
        source:
            "\"At which point the client will need to reload the index.\" (Simperium/Specification.md#reconnecting); simperium-android #177, simperium-ios #325; Diagnosis/Catalogue.md#r40.",
        follows: "cv:? and c:?, and the requests that follow.",
        evidence:
            "A change more than 5 s after it, or 0.9 s where the client was seen to react within half a second, with no i between; or no i while the client sends heartbeats.",
        expects: "CHANNEL:i::::LIMIT", deadlineNanoseconds: SimperiumSessionTimes.reindex,
        silent: "The connection ends or is silent, or a fault followed.",
        cause: "The client does not recognize this answer, or the older form c:?.")

    static let unknownRepeated = Rule(
        "simperium.cv.unknown-repeated", .error, repetition: .topic,
        title: "A cv that the server does not know is not requested again.",
        source:
            "\"If the server doesn't have the requested change version\" … \"the client will need to reload the index\" (Simperium/Specification.md#reconnecting); simperium-ios #325; Diagnosis/Catalogue.md#r40.",
        follows: "The cv that was answered with cv:? or c:?.",
        evidence:
            "The same cv again on the same channel or on the client's next connection, with no i between.",
        expects: "CHANNEL:i::::LIMIT", minimumNanoseconds: SimperiumSessionTimes.crossing,
        silent:
            "Within 2 s of the answer, which may have crossed it (0.2 s where the client was seen to react within half a second, and no change was refused); the connection ended within 2 s of it.",
        cause: "The client retries the request instead of reading the answer.")

    static let notAdvanced = Rule(
        "simperium.cv.not-advanced", .error, repetition: .topic,
        title: "The cv of each change is stored and sent on the next connection.",
        source:
            "\"Save the change.cv for the index\" (Simperium/Specification.md#remote-changes); \"Clients should store this for future requests\"; simperium-ios #381; Diagnosis/Catalogue.md#r41.",
        follows: "The change versions that each client received, in order.",
        evidence:
            "A cv older than one that the client received 60 s or more before its last connection ended; where the client was seen to react within half a second, 30 s or more, and a warning where it was 0.9 s or more.",
        expects: "The cv of the last change.",
        minimumNanoseconds: 30 * SimperiumSessionTimes.second,
        silent:
            "Requests were open then, several connections share the clientid, or the cv was never sent in this session.",
        cause: "The client stores the cv of the index, and not those of the changes.")

    static let placeholder = Rule(
        "simperium.cv.placeholder", .warning, repetition: .client,
        title: "A client without a cv requests the index, not changes.",
        source:
            "\"The cv command takes one parameter: the change version\"; the clients for iOS send an empty one, simperium-js 0, simperium-android #177; Diagnosis/Catalogue.md#r42.",
        follows: "Nothing.", evidence: "A cv that is empty, 0, null, undefined or the like.",
        expects: "CHANNEL:i::::LIMIT", silent: "The text was cut.",
        cause: "The client writes the variable whether or not it holds a cv.")

    static let neverIssued = Rule(
        "simperium.cv.never-issued", .warning, repetition: .topic,
        title: "A cv is one that the server has sent.",
        source:
            "\"The client should have stored the current change version for the index\" (Simperium/Specification.md#reconnecting); Diagnosis/Catalogue.md#r42.",
        follows: "All change versions that were sent in the bucket.",
        evidence: "Another one, of a client that was in sync in this session.",
        expects: "The cv of the last change or of the index.",
        silent:
            "The client was not in sync before in this session, bytes are missing, or there were too many to remember.",
        cause: "The client sends a ccid, a mark or the cv of another bucket.")
}
