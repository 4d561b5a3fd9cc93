import Wire

/// Finding groups of CommCare and OpenRosa: several breaches with one cause.
enum CommCareFindingGroups {
    /// The rules that they break.
    static let rules: [Rule] = [duplicateForm, retryStorm, loop412, pollLoop, headOfLine]

    /// Those that are reported when their parts are combined; the check itself reports the others.
    static let all: [FindingGroup] = [
        FindingGroup(
            rule: retryStorm,
            parts: Set(CommCareSessionRules.retries.map(\.id)), least: 5,
            withinNanoseconds: 300_000_000_000, sharing: .client
        ) { parts in
            "Within \(span(parts)) the client broke the rules on retries \(parts.count) times: "
                + kinds(parts) + "."
        },
        FindingGroup(
            rule: loop412,
            parts: [
                CommCareSessionRules.incrementalAfter412.id, CommCareSessionRules.fullRepeated.id,
            ], least: 3, withinNanoseconds: nil, sharing: .topic
        ) { parts in
            "The sync was refused with 412 and requested again \(parts.count) times within "
                + "\(span(parts)), and no full restore succeeded. "
                + (parts.first?.detail ?? "")
        },
        FindingGroup(
            rule: pollLoop,
            parts: [
                CommCareSessionRules.polledEarly.id, CommCareSessionRules.polledWithoutEnd.id,
            ], least: 5, withinNanoseconds: nil, sharing: .topic
        ) { parts in
            "The restore was requested \(parts.count) times within \(span(parts)) without the "
                + "pauses that the server requested."
        },
    ]

    private static func span(_ parts: [Finding]) -> String {
        guard let first = parts.first, let last = parts.last else { return "no time" }
        return CommCareTime.text(CommCareTime.gap(first.at, last.at))
    }

    /// The number of breaches of each rule: `3 × commcare.retry.at-once`.
    private static func kinds(_ parts: [Finding]) -> String {
        var counts: [String: Int] = [:]
        for part in parts { counts[part.rule.id, default: 0] += part.times }
        return counts.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
            .joined(separator: ", ")
    }

    /// A form whose answer was lost is sent again as another form.
    static let duplicateForm = Rule(
        "commcare.story.duplicate-form", .error,
        title: "A form whose answer was lost is sent again as another form.",
        source:
            "OpenRosa/Specification.md#metadata: instanceID distinguishes a form sent twice from two forms; "
            + "Diagnosis/Catalogue.md#c49, #c50.",
        follows:
            "forms by their content without instanceID, and whose answer the client did not receive",
        evidence: "a form with a new instanceID and the same content, times included, of one whose "
            + "answer was lost; a warning where it was answered with 5xx",
        expects: "The same form with the same instanceID, so that the server keeps it once.",
        silent: "the form has no times in its meta block; the content was sent under several "
            + "identifiers before; the answer of the first was not lost",
        cause: "the identifier is generated when the form is sent instead of when it is finished")

    /// A client retries repeatedly after the server asked it to stop.
    static let retryStorm = Rule(
        "commcare.story.retry-storm", .error,
        title: "A client retries repeatedly after the server asked it to stop.",
        source:
            "OpenRosa/Specification.md#code-406, #rate-limits; Diagnosis/Catalogue.md#c28, #c29, #c30, #c31, #c35, #c73, #o-r1, #o-r2"
            + " (commcare-android PR 2124: \"phone immediately tries again a few "
            + "times\").",
        follows: "the breaches of the rules on retries",
        evidence: "five of them within five minutes",
        expects: "Stop, and retry with growing pauses.",
        silent: "where the rules on retries are")

    /// A client gets 412 repeatedly and never recovers.
    static let loop412 = Rule(
        "commcare.story.412-loop", .error,
        title: "A client gets 412 repeatedly and never recovers.",
        source: "OpenRosa/Specification.md#code-412; Diagnosis/Catalogue.md#c08, #c09, #c10.",
        follows:
            "the breaches of the rules on 412, and what is wrong in incremental syncs that are "
            + "refused",
        evidence: "three of them about one user; or the third refusal in a row of an incremental "
            + "sync, each after a full restore, for the same kind of reason: a state hash that is not "
            + "that of the cases, or an old token",
        expects: "One full restore, and after a second 412 a message for the user.",
        silent: "where the rules on 412 are; the server may have refused what is right",
        cause: "the recovery is not stored, or what was wrong before is wrong again after it")

    /// A client polls for a restore in a loop.
    static let pollLoop = Rule(
        "commcare.story.restore-poll-loop", .error,
        title: "A client polls for a restore in a loop.",
        source: "OpenRosa/Specification.md#code-202; Diagnosis/Catalogue.md#c16, #c22.",
        follows: "the breaches of the rules on 202",
        evidence: "five of them about one user",
        expects: "One request per Retry-After seconds, with a bound.",
        silent: "where the rules on 202 are")

    /// One refused form keeps all others from being sent.
    static let headOfLine = Rule(
        "commcare.story.head-of-line", .warning,
        title: "One refused form keeps all others from being sent.",
        source:
            "Diagnosis/Catalogue.md#c26 (commcare-android PR 1807: one odd form "
            + "\"bricked\" phones).",
        follows: "the tries of each form and the forms of the same user between them",
        evidence: "the sixth refusal of one form with the same 400, 413 or 422, and no other form "
            + "between",
        expects: "The form is held after a few tries, and the next is sent.",
        silent: "another form was sent between; the refusals came from Tapedeck",
        cause: "the queue stops at any failure and always begins with its first form")
}
