import Wire

@testable import Diagnosis

/// Cases about forms that failed and that a client no longer counts.
enum LeftOutCases {
    private typealias R = CommCareSessionRules
    private static let portal = SyncPhone.answer(200, type: "text/html", "<html>Sign in</html>")

    /// A form is answered with 503; then another is sent, and the device syncs twice.
    private static func goOn(
        _ s: inout SessionScript, retryAfter: Int? = nil, isSentAgain: Bool = false,
        end: String = "2026-02-03T10:06:00.000Z"
    ) {
        let phone = SyncPhone(&s)
        phone.restore(&s, at: 0.5, SyncPhone.given("t-1"))
        phone.submit(&s, at: 1, token: "t-1", gets: SyncPhone.busy(retryAfter: retryAfter))
        phone.submit(&s, at: 20, "form-2", token: "t-1", end: end)
        phone.restore(&s, at: 30, since: "t-1", SyncPhone.given("t-2"))
        if isSentAgain { phone.submit(&s, at: 80, token: "t-2") }
        phone.restore(&s, at: 90, since: "t-2", SyncPhone.given("t-3"))
    }

    static let all: [RuleCase] = [
        RuleCase(
            R.forgotten, .breaks, "the page of a captive portal counts as success",
            also: ["openrosa.server.accepted-without-envelope"]
        ) { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, gets: portal)
            phone.heartbeat(&s, at: 20)
        },
        RuleCase(
            R.forgotten, .behaves, "the form is still in the queue, and accepted later",
            also: ["openrosa.server.accepted-without-envelope"]
        ) { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, gets: portal)
            phone.heartbeat(&s, at: 20, unsent: 1)
            phone.submit(&s, at: 60)
            phone.heartbeat(&s, at: 80)
        } unlike: { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, gets: portal)
            phone.heartbeat(&s, at: 20, unsent: 0)
            phone.submit(&s, at: 60)
            phone.heartbeat(&s, at: 80)
        },
        RuleCase(
            R.forgotten, .breaks, "after 503 other forms and syncs go on",
            also: ["commcare.sync.before-forms"]
        ) { s in
            goOn(&s)
        },
        RuleCase(
            R.forgotten, .behaves, "after 503 the form is sent again before the next sync",
            also: ["commcare.sync.before-forms", "commcare.server.overload-without-retry-after"]
        ) { s in
            goOn(&s, isSentAgain: true)
        } unlike: { s in
            goOn(&s)
        },
        RuleCase(
            R.forgotten, .behaves, "after 503 its content is sent under another identifier",
            also: [
                "commcare.server.overload-without-retry-after", "commcare.story.duplicate-form",
            ]
        ) { s in
            goOn(&s, end: "2026-02-03T10:05:00.000Z")
        } unlike: { s in
            goOn(&s)
        },
        RuleCase(
            R.forgotten, .silent, "Retry-After is longer than what was seen",
            also: ["commcare.sync.before-forms", "commcare.retry.before-retry-after"]
        ) { s in
            goOn(&s, retryAfter: 3600)
        } unlike: { s in
            goOn(&s, retryAfter: 5)
        },
    ]
}
