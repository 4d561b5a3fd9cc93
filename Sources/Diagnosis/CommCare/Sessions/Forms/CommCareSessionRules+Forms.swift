import Wire

/// Rules across messages about forms.
extension CommCareSessionRules {
    /// Those of this file.
    static let forms: [Rule] = [
        resentAfter422, queueStopped, forgotten, beforeForms, instanceIDReused, resentAfterSuccess,
        createAfterUpdate, timeBackwards, slowSubmission, attachmentDropped,
    ]

    /// A form that the server cannot process is sent again.
    static let resentAfter422 = Rule(
        "commcare.submit.resent-after-422", .error, repetition: .topic,
        title: "A form that the server cannot process is sent again.",
        source:
            "OpenRosa/Specification.md#code-422: \"422: … The client should not attempt to send this form "
            + "again\"; Diagnosis/Catalogue.md#c23.",
        follows: "each form by its instanceID",
        evidence: "the same form after 422 with processing_failure",
        expects: "The form is put aside, and the next is sent.",
        silent: "the 422 was cut or late or has another nature; the form has another content than "
            + "before",
        cause: "422 is treated like 500, or the nature is not read")

    /// After a form was put aside the others are not sent.
    static let queueStopped = Rule(
        "commcare.submit.queue-stopped-after-422", .warning,
        title: "After a form was put aside the others are not sent.",
        source: "Diagnosis/Catalogue.md#c26 (a 422 is about one form; the queue continues).",
        follows: "the last 422 and what is submitted after it",
        evidence:
            "a heartbeat with num_unsent_forms above 0, more than a minute after the 422, and "
            + "no submission between",
        expects: "The next form of the queue.",
        deadlineNanoseconds: 60_000_000_000,
        silent:
            "no heartbeat has the number of unsent forms; Tapedeck did something to the traffic "
            + "since",
        cause: "any failure of a form ends the queue")

    /// A form that was not accepted is never sent again.
    static let forgotten = Rule(
        "commcare.submit.forgotten", .error, repetition: .topic,
        title: "A form that was not accepted is never sent again.",
        source:
            "Diagnosis/Catalogue.md#c38; OpenRosa/Specification.md#code-201 (a form leaves the queue "
            + "when an OpenRosaResponse accepts it, or when it is refused for good).",
        follows:
            "forms whose last try failed for a reason that may pass, or was answered 200 without "
            + "an OpenRosaResponse, as by a captive portal",
        evidence: "a heartbeat with num_unsent_forms=0; or, where the failure was not about this "
            + "form, another form that was accepted, and two syncs after that; or two forms that are "
            + "sent for the first time more than ten minutes after the failure",
        expects: "The same form again, before newer ones.",
        deadlineNanoseconds: 600_000_000_000,
        silent:
            "the form was refused for good; Retry-After is not over; the client requested everything anew, as after an "
            + "installation; the client is not CommCare, where a person chooses what is sent; "
            + "Tapedeck did something to the traffic since",
        cause: "a form is removed from the queue when it was sent, and not when it was accepted")

    /// A sync is requested while a form waits to be sent again.
    static let beforeForms = Rule(
        "commcare.sync.before-forms", .warning, repetition: .client,
        title: "A sync is requested while a form waits to be sent again.",
        source: "Diagnosis/Catalogue.md#c27 (forms go first; a recovery replaces local cases).",
        follows:
            "forms whose last try failed for a reason that may pass, and those that a heartbeat "
            + "counts as unsent",
        evidence: "a restore after such a failure, or a full restore while unsent forms are left",
        expects: "The form first, and the sync once it is accepted.",
        silent: "the form was refused for good; only information where the sync is incremental, as "
            + "nothing is lost then, and no finding at all before the first sync",
        cause: "the sync ignores the result of the queue")

    /// One instanceID is used for two different forms.
    static let instanceIDReused = Rule(
        "commcare.form.instance-id-reused", .error, repetition: .topic,
        title: "One instanceID is used for two different forms.",
        source:
            "Diagnosis/Catalogue.md#c49 (OpenRosa/Specification.md#metadata: instanceID is unique; CommCare HQ treats the "
            + "second as an edit of the first).",
        follows: "the content of each form by its instanceID",
        evidence: "a submission with a known instanceID and other content",
        expects: "A new instanceID for a new form, and the same bytes when a form is sent again.",
        silent: "the server has certainly refused the first; the form has a deprecatedID; Tapedeck "
            + "changed one of them; only the attachments differ",
        cause: "the identifier is made when the form is opened and kept when it is filled again, "
            + "or the form is written again at each try")

    /// A form is sent again after it was accepted.
    static let resentAfterSuccess = Rule(
        "commcare.submit.resent-after-success", .warning, repetition: .topic,
        title: "A form is sent again after it was accepted.",
        source:
            "OpenRosa/Specification.md#openrosa-http: 202 \"should not try to resubmit\"; Diagnosis/Catalogue.md#c50.",
        follows: "each form by its instanceID",
        evidence:
            "the same form after 201 or 202 with an OpenRosaResponse that the client certainly received",
        expects: "The form is removed from the queue.",
        silent: "the answer was cut, late or lost, or is not an OpenRosaResponse; the request has "
            + "further attachments",
        cause:
            "the form is removed from the queue only after all of them are sent, or another code "
            + "or body is expected")

    /// A form that creates a case is sent after one that updates it.
    static let createAfterUpdate = Rule(
        "commcare.form.out-of-order", .warning,
        title: "A form that creates a case is sent after one that updates it.",
        source:
            "Diagnosis/Catalogue.md#c75 (forms go in the order in which they were filled: creates precede "
            + "updates).",
        follows: "the cases that forms update before any is seen to create them",
        evidence: "a later first submission of the same user creates such a case",
        expects: "Forms in the order in which they were filled.",
        silent: "the form that updates was sent before with a form not seen here",
        cause: "the queue is sorted by something else than the order of completion, or sent in "
            + "parallel")

    /// A form is sent again without a file that was sent with it.
    static let attachmentDropped = Rule(
        "commcare.submit.attachment-dropped", .error, repetition: .topic,
        title: "A form is sent again without a file that was sent with it.",
        source: "OpenRosa/Specification.md#submissions; Diagnosis/Catalogue.md#c44.",
        follows: "the files of each form by its instanceID",
        evidence: "the same form again after a try that was not accepted, with fewer files",
        expects: "The form with all of its files, until it is accepted.",
        silent: "a try was accepted, was refused with 413, or is one of several requests with the "
            + "form",
        cause: "files are removed when they were sent, and not when the form was accepted")

    /// A form is sent after one that was finished later.
    static let timeBackwards = Rule(
        "commcare.form.time-backwards", .info, repetition: .client,
        title: "A form is sent after one that was finished later.",
        source: "Diagnosis/Catalogue.md#c75.",
        follows: "timeEnd of the forms of a user, when each is sent first",
        evidence: "timeEnd more than a minute before that of a form sent earlier",
        expects: "Forms in the order in which they were finished.",
        silent: "one of them has no timeEnd; only information, as clocks are set and forms are put "
            + "aside")

    /// A submission waits so long for its answer that the client sends it again.
    static let slowSubmission = Rule(
        "commcare.server.slow-submission", .warning, blames: .server, repetition: .topic,
        title: "A submission waits so long for its answer that the client sends it again.",
        source: "Diagnosis/Catalogue.md#c83 (CommCare Android reads for a minute at most).",
        follows: "how long each submission takes",
        evidence: "no answer for more than a minute, and then the same instanceID again",
        expects: "An answer within a minute.",
        minimumNanoseconds: 60_000_000_000,
        silent: "Tapedeck did something to the exchange")
}
