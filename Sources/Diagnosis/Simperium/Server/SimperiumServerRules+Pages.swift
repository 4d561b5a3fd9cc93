import Wire

extension SimperiumServerRules {
    static let pages: [Rule] = [
        pageLoop, markDigits, currentMoves, pageCurrent, pageForm, emptyMark, pageTooLong,
        pageWithoutData, entityForm, entityDiffers,
    ]

    static let pageLoop = Rule(
        "simperium.server.page-loop", .error, blames: .server, repetition: .client,
        title: "Each page of the index has its own mark.",
        source:
            "\"The client will know when it has received the entire index when it receives an i message without a mark.\" (Simperium/Specification.md#first-sync); Diagnosis/Catalogue.md#s01.",
        follows: "The marks of the pages since the index was begun.",
        evidence: "A mark that an earlier page or the request had.",
        expects: "A new mark, or none on the last page.",
        silent: "A request or page was lost or changed.")

    static let markDigits = Rule(
        "simperium.server.mark-digits", .info, blames: .server, repetition: .client,
        title: "A mark is not only digits.",
        source:
            "The second slot of i is the offset in the prose and the mark in the examples (Simperium/Specification.md#index); Diagnosis/Catalogue.md#s01.",
        follows: "Nothing.",
        evidence: "A mark of digits only.",
        expects: "A mark with a letter.",
        silent: "The text was cut.")

    static let currentMoves = Rule(
        "simperium.server.current-moves", .info, blames: .server, repetition: .client,
        title: "current is the same on all pages of a reading.",
        source:
            "\"current : the bucket's current change version\" (Simperium/Specification.md#index); the client for Android starts again when it changes; Diagnosis/Catalogue.md#s01.",
        follows: "current of the pages since the index was begun.",
        evidence: "Another current on a later page.",
        expects: "The current of the first page, or the changes between.",
        silent: "Changes were made meanwhile, which is why this is only information.")

    static let pageCurrent = Rule(
        "simperium.server.page-current", .warning, blames: .server, repetition: .client,
        title: "A page has a current.",
        source:
            "\"current : the bucket's current change version or cv/ccid. Clients should store this for future requests\" (Simperium/Specification.md#index); simperium-ios #381: clients then read the index at every connection; Diagnosis/Catalogue.md#s01.",
        follows: "Nothing.",
        evidence: "A page whose current is missing or empty.",
        expects: "\"current\":CV",
        silent: "The text was cut.")

    static let pageForm = Rule(
        "simperium.server.page-form", .error, blames: .server, repetition: .client,
        title: "A page has an index of objects with id and v.",
        source:
            "\"index : an array of hashes that contain\" id and v (Simperium/Specification.md#index).",
        follows: "Nothing.",
        evidence: "A page without index, or an entry without id or v.",
        expects: "\"index\":[{\"id\":KEY,\"v\":1}]",
        silent: "The text was cut.")

    static let emptyMark = Rule(
        "simperium.server.empty-mark", .warning, blames: .server, repetition: .client,
        title: "A page has a mark only where more follows.",
        source:
            "\"Note: only present if there is more data to fetch from the index.\" (Simperium/Specification.md#index).",
        follows: "Nothing.",
        evidence: "An empty mark.",
        expects: "No mark.",
        silent: "The text was cut.")

    static let pageTooLong = Rule(
        "simperium.server.page-too-long", .warning, blames: .server, repetition: .client,
        title: "A page has no more entries than were requested.",
        source:
            "\"limit : the maximum number of items to return\" (Simperium/Specification.md#index).",
        follows: "The limit of the request.",
        evidence: "More entries than that.",
        expects: "A mark after as many.",
        silent: "The request had no limit, or is not known.")

    static let pageWithoutData = Rule(
        "simperium.server.page-without-data", .error, blames: .server, repetition: .client,
        title: "A page has the data where they were requested.",
        source:
            "\"data : optional if 1 then the index will also return the data for each entity\" (Simperium/Specification.md#index).",
        follows: "The request.",
        evidence: "An entry without d.",
        expects: "\"d\":{…}",
        silent: "The request is not known.")

    static let entityForm = Rule(
        "simperium.server.entity-form", .error, blames: .server, repetition: .client,
        title: "An entity has its data under data.",
        source:
            "\"The entity's data is stored in the payload's data key\" (Simperium/Specification.md#entities).",
        follows: "Nothing.",
        evidence: "An e without data, or whose data is not an object.",
        expects: "CHANNEL:e:KEY.VERSION\\n{\"data\":{…}}",
        silent: "The text was cut.")

    static let entityDiffers = Rule(
        "simperium.server.entity-differs", .error, blames: .server, repetition: .topic,
        title:
            "A version of an object has the same data whenever it is sent, equal to the result of its changes.",
        source:
            "\"Clients can request an entire entity at any version stored on the server.\" (Simperium/Specification.md#entities); Diagnosis/Catalogue.md#s01.",
        follows:
            "The data of objects and the changes since, as the server sent them to any client.",
        evidence:
            "Data of a version that differ from those sent earlier or from the result of the changes.",
        expects: "The same data.",
        silent: "The way to the version is not known without gaps, or a change cannot be applied.")
}
