/// What a status code means to a client, and what the client must do next.
public struct CodeAdvice: Hashable, Sendable {
    /// What the client does with what it sent or asked for.
    public enum Action: String, Hashable, Sendable, CaseIterable {
        /// Nothing more: it is done.
        case done
        /// The same request again after `Retry-After`.
        case poll
        /// One full sync without sync token, after which local state is replaced.
        case recover
        /// The form is put aside and never sent again; others go on.
        case quarantine
        /// The form is kept, the queue goes on.
        case hold
        /// The same again later, with growing pauses.
        case backOff = "back-off"
        /// Nothing of this kind is sent until a pause is over.
        case coolDown = "cool-down"
        /// The user is told and decides.
        case tellUser = "tell-user"
        /// New credentials, once.
        case authenticate
        /// The form is not accepted, and kept.
        case keep
    }

    /// Status code; 0 stands for a request that got no response.
    public var status: Int
    /// The requests it is about; nil for all.
    public var group: OpenRosaAPI.Group?
    /// `nature` of the message that it is about; nil for any or none.
    public var nature: String?
    /// What it means, in one sentence.
    public var means: String
    /// What a client must do next, in one sentence.
    public var next: String
    /// The same as a value.
    public var action: Action
    /// Where it is written down: `specs/commcare-http.txt`, or the practice of clients.
    public var isSpecified: Bool
}

/// The response codes of CommCare and OpenRosa.
///
/// Source: the table of specs/commcare-http.txt, and for what it leaves open the policy of
/// reference/commcare-in-practice.md, 8.3, which is stricter than the Android client.
public enum CodeTable {
    /// What to do about a code.
    ///
    /// - Parameters:
    ///   - status: 0 where there was no response.
    ///   - api: What the request was for, if known.
    ///   - nature: `nature` of the response's message, if it had one.
    /// - Returns: The most particular row, nil where there is none.
    public static func advice(status: Int, api: OpenRosaAPI?, nature: String? = nil) -> CodeAdvice?
    {
        let candidates = rows.filter {
            $0.status == status && ($0.group == nil || $0.group == api?.group)
                && ($0.nature == nil || $0.nature == nature)
        }
        func rank(_ row: CodeAdvice) -> Int {
            (row.group == nil ? 0 : 2) + (row.nature == nil ? 0 : 1)
        }
        return candidates.max { rank($0) < rank($1) }
    }

    /// All rows, by code.
    public static let rows: [CodeAdvice] = [
        row(
            0, nil, "There was no response.",
            "Try again with growing pauses, a form with the same instanceID.", .backOff),
        row(
            200, .submission, "A submission is accepted with 201 or 202; this may be a gateway.",
            "Keep the form and do not take it for sent.", .keep),
        row(
            200, .sync, "The data follow.",
            "Read it to its end, store it in one step, and keep the restore_id as sync token.",
            .done),
        row(200, .other, "The request succeeded.", "Use the answer.", .done),
        row(
            201, .submission, "The form was accepted.",
            "Take the form from the queue and send the next.", .done),
        row(
            201, .submission, "The form was refused, although the code says success.",
            "Show the message and keep the form.", .keep, nature: "submit_error"),
        row(201, .other, "It was done, as for a case that is claimed.", "Sync.", .done),
        row(
            202, .submission, "The form was accepted and is being processed.",
            "Take the form from the queue and send the next.", .done),
        row(
            202, .sync, "The data are being prepared.",
            "Show the progress and ask again after Retry-After seconds, 5 where there is none.",
            .poll, isSpecified: true),
        row(204, .other, "There was nothing to do.", "Go on.", .done),
        row(
            301, .submission, "A redirect turns the submission into a GET.",
            "Keep the form and ask for the server's address.", .keep),
        row(
            302, .submission, "A redirect turns the submission into a GET.",
            "Keep the form and ask for the server's address.", .keep),
        row(
            400, .submission, "The request is not what the server takes, such as a missing part.",
            "Keep the form and report the text of the answer.", .hold),
        row(400, .sync, "The request is not what the server takes.", "Tell the user.", .tellUser),
        row(
            401, nil, "The credentials are missing or wrong.",
            "Stop the queue and ask for credentials once.", .authenticate),
        row(403, nil, "The user may not do this.", "Stop and tell the user.", .tellUser),
        row(404, nil, "There is no such user or place.", "Stop and tell the user.", .tellUser),
        row(
            406, nil, "The user must act before this can succeed.",
            "Show the translation of the answer's error, else its default_response, and do not try "
                + "again by itself.", .tellUser, isSpecified: true),
        row(410, .other, "The case to be claimed is gone.", "Tell the user.", .tellUser),
        row(
            412, .sync, "An incremental sync is not possible.",
            "Sync once without since, state and sync token, and replace local state when all of it "
                + "is there.", .recover, isSpecified: true),
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
        row(423, .submission, "The form is being processed already.", "Try again later.", .backOff),
        row(
            429, nil, "Too many requests of this kind from this user or client.",
            "Stop all requests of this kind for Retry-After, or with growing pauses; make a user "
                + "wait at least 5 seconds.", .coolDown, isSpecified: true),
        row(
            500, .submission, "The server failed.", "Try again with growing pauses.", .backOff),
        row(500, .sync, "The server failed.", "Tell the user, who may try again.", .tellUser),
        row(
            502, .submission, "A gateway got no answer.", "Try again with growing pauses.",
            .backOff),
        row(
            502, .sync, "A gateway got no answer.", "Tell the user, who may try again.", .tellUser),
        row(
            503, nil, "The server is over capacity.",
            "Stop all requests of this kind for Retry-After, or with growing pauses; make a user "
                + "wait at least 5 seconds.", .coolDown, isSpecified: true),
        row(
            504, .submission, "A gateway waited in vain.", "Try again with growing pauses.",
            .backOff),
        row(
            504, .sync, "A gateway waited in vain.", "Tell the user, who may try again.", .tellUser),
        row(
            509, .submission, "The project is shut out.", "Try again with growing pauses.", .backOff
        ),
    ]

    private static func row(
        _ status: Int, _ group: OpenRosaAPI.Group?, _ means: String, _ next: String,
        _ action: CodeAdvice.Action, nature: String? = nil, isSpecified: Bool = false
    ) -> CodeAdvice {
        CodeAdvice(
            status: status, group: group, nature: nature, means: means, next: next,
            action: action, isSpecified: isSpecified)
    }
}
