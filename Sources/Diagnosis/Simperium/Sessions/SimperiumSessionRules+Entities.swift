import Wire

extension SimperiumSessionRules {
    static let entities: [Rule] = [
        entityMalformed, truncatedKey, notAnnounced, stalled, flood, entityAgain, missingRemoved,
        notReloaded,
    ]

    static let entityMalformed = Rule(
        "simperium.entity.malformed", .error, repetition: .client,
        title: "An entity is requested by its key and a version that is a number.",
        source:
            "\"The e command takes one parameter which is an entity's key and version seperated by a dot\" (Simperium/Specification.md#entities); observed of node-simperium; Diagnosis/Catalogue.md#r46.",
        follows: "Nothing.",
        evidence: "No dot, or undefined, NaN or anything but digits after the last.",
        expects: "CHANNEL:e:KEY.VERSION", silent: "The text was cut.",
        cause: "The version is unknown, or the key was split at its first dot.")

    static let truncatedKey = Rule(
        "simperium.entity.truncated-key", .error, repetition: .topic,
        title: "A key with dots is kept whole; the version follows the last dot.",
        source:
            "\"an entity's key and version seperated by a dot\" (Simperium/Specification.md#entities); observed of node-simperium, which splits at the first; Diagnosis/Catalogue.md#r47.",
        follows: "The keys that the channel received.",
        evidence:
            "A key that was not received and that is the first part, up to its first dot, of one that was.",
        expects: "CHANNEL:e:KEY.VERSION with the whole key.",
        silent: "The index was not read to its end on this channel.",
        cause: "The client splits KEY.VERSION at the first dot.")

    static let notAnnounced = Rule(
        "simperium.entity.not-announced", .warning, repetition: .topic,
        title: "A version is requested after the server has sent it.",
        source:
            "\"a client can begin requesting entity data from the server by requesting each id.v in the index\" (Simperium/Specification.md#first-sync); Diagnosis/Catalogue.md#r44.",
        follows: "The newest version of each object that the server sent.",
        evidence: "A version that is more than one above it.",
        expects: "The version of the index or the ev of the last change.",
        silent:
            "Nothing is known of the object, bytes are missing, or the version is older: old versions are history."
    )

    static let stalled = Rule(
        "simperium.entity.stalled", .warning, repetition: .topic,
        title:
            "An entity that the server does not have does not keep the others from being fetched.",
        source:
            "\"If the entity represented by that key and version does not exist, the response is a single question mark\" (Simperium/Specification.md#entities); simperium-android #132; Diagnosis/Catalogue.md#r44.",
        follows: "The first index of a client, and which of its objects were requested.",
        evidence:
            "The objects were requested in order up to one that was answered with ?, and none after it while the client sends other commands.",
        expects: "CHANNEL:e: for the objects that follow.",
        deadlineNanoseconds: SimperiumSessionTimes.entity,
        silent:
            "The client may have the others from before, the connection ends or is silent, or a fault followed.",
        cause: "The client waits for data in place of ?.")

    static let flood = Rule(
        "simperium.entity.flood", .warning, repetition: .client,
        title: "Few entities are requested at once.",
        source:
            "simperium-ios #485; the clients for iOS request 200 at most, those for Android for one; Diagnosis/Catalogue.md#r45.",
        follows: "The requests on a channel that were not answered.",
        evidence: "More than 500 at once.",
        expects: "A window of some hundred at most, or i with data.",
        silent: "Bytes are missing.")

    static let entityAgain = Rule(
        "simperium.entity.again", .warning, repetition: .topic,
        title: "A received entity is not requested again.",
        source:
            "\"The client should store both the data and the version locally\" (Simperium/Specification.md#entities); simperium-ios #485; Diagnosis/Catalogue.md#r45.",
        follows: "Answers with data, and what was received about the object since.",
        evidence:
            "The same version three times, with its data received and nothing new between; four times within 2 s, whatever the answer; or the second object that a client, which begins with its cv, has at this version since an earlier connection.",
        expects: "Nothing: the client has it.",
        silent:
            "A change or an error of the object, or a page that names it was between; for the first of these, another connection.",
        cause: "The client does not store what it receives.")

    static let missingRemoved = Rule(
        "simperium.entity.missing-removed", .error, repetition: .topic,
        title: "An object is not removed because a version of it does not exist.",
        source:
            "\"If the entity represented by that key and version does not exist, the response is a single question mark\" (Simperium/Specification.md#entities); old versions are deleted by servers, the object is there; Diagnosis/Catalogue.md#r66.",
        follows:
            "The answers ? to requests for entities, until anything is received about the object.",
        evidence:
            "A removal within 2 s after ?; a warning where the client has a version of the object, so that the user may have removed it.",
        expects: "The index or the changes: they name the version that is there.",
        silent: "More time has passed, or bytes are missing.",
        cause: "The client takes ? for a removal.")

    static let notReloaded = Rule(
        "simperium.remote.not-reloaded", .error, repetition: .topic,
        title:
            "A change that does not apply to the version at hand makes the client load the object.",
        source:
            "\"Confirm that the local entity version matches the change.sv. If they don't match, reload the object\" (Simperium/Specification.md#remote-changes); Diagnosis/Catalogue.md#r38.",
        follows: "The version of each object that the client received.",
        evidence:
            "A change whose sv is above it, and neither e nor i after it; at once where the client edits a version after that sv.",
        expects: "CHANNEL:e:KEY.EV", deadlineNanoseconds: SimperiumSessionTimes.reload,
        silent:
            "The object was received again or removed, the connection ends or is silent, a fault followed, or the version before is not known.",
        cause: "The client applies the change without comparing versions.")
}
