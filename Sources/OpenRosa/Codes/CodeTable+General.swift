extension CodeTable {
    /// What holds for every kind of request.
    static let general: [CodeAdvice] = [
        row(
            0, nil, "There was no response.",
            "Try again with growing pauses, a form with the same instanceID.", .backOff),
        row(
            401, nil, "The credentials are missing or invalid.",
            "Stop the queue and request credentials once.", .authenticate),
        row(403, nil, "The user may not do this.", "Stop and inform the user.", .tellUser),
        row(404, nil, "There is no such user or place.", "Stop and inform the user.", .tellUser),
        row(
            406, nil, "The user must act before this can succeed.",
            "Show the translation of the answer's error, else its default_response, and do not try "
                + "again by itself.", .tellUser, isSpecified: true),
        row(
            429, nil, "Too many requests of this kind from this user or client.",
            "Stop all requests of this kind for Retry-After, or with growing pauses; make a user "
                + "wait at least 5 seconds.", .coolDown, isSpecified: true),
        row(
            503, nil, "The server is over capacity.",
            "Stop all requests of this kind for Retry-After, or with growing pauses; make a user "
                + "wait at least 5 seconds.", .coolDown, isSpecified: true),
    ]

    /// What holds where a form is submitted.
    static let submissions: [CodeAdvice] = [
        row(
            200, .submission, "A submission is accepted with 201 or 202; this may be a gateway.",
            "Keep the form and do not mark it as sent.", .keep),
        row(
            201, .submission, "The form was accepted.",
            "Take the form from the queue and send the next.", .done),
        row(
            201, .submission, "The form was refused, although the code means success.",
            "Show the message and keep the form.", .keep, nature: "submit_error"),
        row(
            202, .submission, "The form was accepted and is being processed.",
            "Take the form from the queue and send the next.", .done),
        row(
            204, .submission,
            "A submission is accepted with 201 or 202; nothing confirms that it was accepted.",
            "Keep the form and do not mark it as sent.", .keep),
        row(
            301, .submission, "A redirect turns the submission into a GET.",
            "Keep the form and request the server's address.", .keep),
        row(
            302, .submission, "A redirect turns the submission into a GET.",
            "Keep the form and request the server's address.", .keep),
        row(
            303, .submission, "A redirect turns the submission into a GET.",
            "Keep the form and request the server's address.", .keep),
        row(
            400, .submission,
            "The server does not accept the request, for instance without a "
                + "part.",
            "Keep the form and report the text of the answer.", .hold),
        row(
            413, .submission, "The form or an attachment is too large.",
            "Keep the form aside and send the next.", .hold),
        row(
            422, .submission, "The form was not processed, for a reason that may pass.",
            "Try again a few times with growing pauses.", .backOff),
        row(
            422, .submission, "The form is invalid and cannot be processed.",
            "Never send this form again, show the message, and send the next.", .quarantine,
            nature: "processing_failure", isSpecified: true),
        row(
            422, .submission, "The form was stored, and a step after that failed.",
            "Try again a few times with growing pauses and the same instanceID, which stores "
                + "nothing twice.", .backOff, nature: "post_processing_failure"),
        row(423, .submission, "The form is being processed already.", "Try again later.", .backOff),
        row(
            500, .submission, "The server failed.", "Try again with growing pauses.", .backOff),
        row(
            502, .submission, "A gateway got no answer.", "Try again with growing pauses.",
            .backOff),
        row(
            504, .submission, "A gateway timed out.", "Try again with growing pauses.",
            .backOff),
        row(
            509, .submission, "The project is blocked.", "Try again with growing pauses.", .backOff
        ),
    ]

    static func row(
        _ status: Int, _ group: OpenRosaAPI.Group?, _ means: String, _ next: String,
        _ action: CodeAdvice.Action, nature: String? = nil, isSpecified: Bool = false
    ) -> CodeAdvice {
        CodeAdvice(
            status: status, group: group, nature: nature, means: means, next: next,
            action: action, isSpecified: isSpecified)
    }
}
