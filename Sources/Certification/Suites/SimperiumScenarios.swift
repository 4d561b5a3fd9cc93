/// The scenarios for Simperium clients.
enum SimperiumScenarios {
    /// All scenarios in the order in which they are played: those that take long first, so that
    /// the others are played beside them.
    static let all: [Scenario] =
        silences + beginnings + reconnections + edits + remoteChanges + refusals + questions
        + connecting

    /// Why some rules are exercised by no scenario.
    static let reasons: [(pattern: String, reason: String)] = [
        (
            "simperium.change.edits-removed",
            "no client is asked to edit an object that is removed: a right one does not show it"
        ),
        (
            "http.cookie*",
            "cookies are followed on one connection, and a Simperium client has a connection for each of its HTTP requests: one for a token, one for each WebSocket"
        ),
    ]

    /// The rules on HTTP that can be broken only after answers which the server does not send to
    /// every client.
    static let needingMore = [
        "http.cookie-lost", "http.cookies-ignored", "http.chunked-refused", "http.retry-after-4xx",
        "http.retry-after-answer-began", "http.after-close",
    ]

    // MARK: Expected events

    /// A channel was opened.
    static let opened = ExpectedEvent.lines(
        "command:auth sender:server", "an answer to the client's init")
    /// The index was read.
    static let indexed = ExpectedEvent.lines("command:i sender:server", "a page of the index")
    /// The server has a change.
    static let acknowledged = ExpectedEvent.lines(
        "command:c sender:server has:ccid", "a change that the server accepted")
    /// A filter for commands of the client with these names; `cv` and `i` may be the `cmd` of an
    /// `init`.
    static func requests(_ names: String) -> String { "sender:client command:{\(names)}" }
    /// A change was received.
    static let changed = ExpectedEvent.lines("command:c sender:client", "a change of the client")

    /// The client is done: its sockets are closed.
    static let closed = ExpectedEvent.lines(
        "api:simperium.socket status:101 not outcome:open", "a socket that the client closed")

    // MARK: Rules

    /// The rules that any change can break.
    static let anyChange =
        [
            "array-from-client", "ccid-grammar", "key-grammar", "missing-field",
            "unknown-operation",
            "unreadable", "no-sv", "sv-ahead", "sv-behind", "stuck-sv", "second-in-flight",
            "ccid-of-another-object", "ccid-reused", "ccid-with-other-content", "duplicate-edit",
            "rate", "server-field",
        ].map { "simperium.change.\($0)" } + ["simperium.diff.*"]
    /// The rules that can be broken after a refusal.
    static let afterRefusal = [
        "simperium.change.ccid-reused", "simperium.change.ccid-with-other-content",
        "simperium.change.forgotten", "simperium.change.stuck-key", "simperium.story.stuck-key",
        "simperium.story.lost-edit",
        "simperium.story.full-resend-loop",
    ]
    /// The rules that concurrent edits can break.
    static let besideOthers = [
        "simperium.change.sv-behind", "simperium.change.foreign-answer", "simperium.remote.echo",
        "simperium.remote.taken-back", "simperium.diff.repeats-insert",
        "simperium.diff.undoes-own-member",
        "simperium.diff.does-not-apply", "simperium.story.echo", "simperium.story.ghost-writing",
        "simperium.story.lost-edit", "simperium.story.double-text",
    ]

    // MARK: Steps

    /// Objects before the client comes: `old-0` … with text.
    static func objects(_ count: Int) -> [Step] {
        (0..<count).map {
            .set(key: "old-\($0)", data: #"{"content":"note \#($0)","n":\#($0)}"#)
        } + [.waitSynced]
    }

    /// Makes the object `mine`, and changes it.
    static let madeAndChanged: [Step] = [
        .waitSynced, .set(key: "mine", data: #"{"content":"one"}"#), .waitSynced,
        .set(key: "mine", data: #"{"content":"one and two"}"#), .waitSynced,
    ]
}
