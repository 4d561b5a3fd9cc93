import Wire

@testable import Diagnosis

/// Cases about retries.
enum RetryCases {
    private typealias R = CommCareSessionRules

    static let all: [RuleCase] = load + growth + same

    /// Two forms, the second so many seconds after the first was refused.
    private static func two(
        _ s: inout SessionScript, _ first: String, after gap: Double
    ) {
        let phone = SyncPhone(&s)
        phone.submit(&s, at: 1, gets: first)
        phone.submit(&s, at: 1.01 + gap)
    }

    private static let load: [RuleCase] = [
        RuleCase(R.retriedAtOnce, .breaks, "the same form") {
            two(&$0, SyncPhone.busy(429), after: 0.1)
        },
        RuleCase(R.retriedAtOnce, .breaks, "the next form") { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, gets: SyncPhone.busy())
            phone.submit(&s, at: 1.2, "form-2", detail: "43")
        },
        RuleCase(R.retriedAtOnce, .breaks, "a restore, although Retry-After was said") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.busy(retryAfter: 10))
            phone.restore(&s, at: 1.5, SyncPhone.given("t1"))
        },
        RuleCase(R.retriedAtOnce, .behaves, "Retry-After: 1, kept") {
            two(&$0, SyncPhone.busy(retryAfter: 1), after: 1.1)
        },
        RuleCase(
            R.retriedAtOnce, .behaves, "another kind of request",
            also: ["commcare.server.overload-without-retry-after"]
        ) { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.busy())
            phone.heartbeat(&s, at: 1.2)
            phone.submit(&s, at: 1.4)
        } unlike: { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.busy())
            phone.restore(&s, at: 1.2, SyncPhone.given("t1"))
        },
        RuleCase(
            R.retriedAtOnce, .silent, "the refusal came too late to be heard",
            also: [
                "commcare.server.overload-without-retry-after", "commcare.server.slow-submission",
            ]
        ) { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, gets: SyncPhone.busy(), took: 70)
            phone.submit(&s, at: 71.2)
        },
        RuleCase(R.coolDown, .breaks, "after three seconds") {
            two(&$0, SyncPhone.busy(), after: 3)
        },
        RuleCase(
            R.coolDown, .behaves, "after six seconds",
            also: ["commcare.server.overload-without-retry-after"]
        ) {
            two(&$0, SyncPhone.busy(), after: 6)
        },
        RuleCase(
            R.coolDown, .silent, "the refusal was cut",
            also: ["commcare.server.overload-without-retry-after", "http.server-short-body"]
        ) { s in
            var phone = SyncPhone(&s)
            phone.submit(
                &s, at: 1,
                gets: SyncPhone.busy().replacing("Date:", with: "Content-Length: 99\nDate:"))
            s.close(phone.connection, at: 1.1, by: .server)
            phone.reconnect(&s, at: 2)
            phone.submit(&s, at: 4)
        },
        RuleCase(R.beforeRetryAfter, .breaks, "half of Retry-After") {
            two(&$0, SyncPhone.busy(429, retryAfter: 20), after: 10)
        },
        RuleCase(R.beforeRetryAfter, .behaves, "a little early") {
            two(&$0, SyncPhone.busy(429, retryAfter: 20), after: 19.7)
        },
        RuleCase(R.beforeRetryAfter, .silent, "Retry-After is no number") { s in
            let phone = SyncPhone(&s)
            phone.submit(
                &s, at: 1,
                gets: SyncPhone.answer(503, ["Retry-After: soon"], type: "text/plain", "x"))
            phone.submit(&s, at: 10)
        },
    ]

    /// Forms that are refused, with these pauses before each but the first.
    private static func tries(
        _ s: inout SessionScript, _ pauses: [Double], retryAfter: Int? = nil, status: Int = 503
    ) {
        let phone = SyncPhone(&s)
        var at = 1.0
        phone.submit(&s, at: at, gets: SyncPhone.busy(status, retryAfter: retryAfter))
        for pause in pauses {
            at += 0.01 + pause
            phone.submit(&s, at: at, gets: SyncPhone.busy(status, retryAfter: retryAfter))
        }
    }

    private static let growth: [RuleCase] = [
        RuleCase(R.notGrowing, .breaks, "each minute") { tries(&$0, [60, 60, 60]) },
        RuleCase(R.notGrowing, .breaks, "shorter") { tries(&$0, [60, 30]) },
        RuleCase(
            R.notGrowing, .behaves, "doubled, with chance",
            also: ["commcare.server.overload-without-retry-after"]
        ) { tries(&$0, [10, 17, 42, 70]) },
        RuleCase(R.notGrowing, .behaves, "as Retry-After says") {
            tries(&$0, [10.2, 10.2, 10.3], retryAfter: 10)
        },
        RuleCase(
            R.notGrowing, .behaves, "capped at an hour",
            also: ["commcare.server.overload-without-retry-after"]
        ) {
            tries(&$0, [3_600, 3_600, 3_600])
        },
        RuleCase(
            R.notGrowing, .silent, "one try only",
            also: ["commcare.server.overload-without-retry-after"]
        ) { tries(&$0, [60]) },
        RuleCase(R.notGrowing, .silent, "other failures, which say nothing of load") {
            tries(&$0, [60, 60, 60], status: 500)
        },
    ]

    private static let same: [RuleCase] = [
        RuleCase(R.after406, .breaks, "twice by itself") {
            two(&$0, SyncPhone.deactivated, after: 0.1)
        },
        RuleCase(R.after406, .behaves, "after the user has read it") {
            two(&$0, SyncPhone.deactivated, after: 3)
        },
        RuleCase(R.after406, .silent, "the program was started again") { s in
            var phone = SyncPhone(&s)
            phone.submit(&s, at: 1, gets: SyncPhone.deactivated)
            s.close(phone.connection, at: 1.1)
            phone.reconnect(&s, at: 1.3)
            phone.submit(&s, at: 1.4, gets: SyncPhone.deactivated)
        },
        RuleCase(R.sameCredentials, .breaks, "a form twice at once") {
            two(&$0, SyncPhone.answer(401, ["WWW-Authenticate: Basic"]), after: 0.1)
        },
        RuleCase(R.sameCredentials, .breaks, "every five seconds") { s in
            let phone = SyncPhone(&s)
            for at in 0..<5 {
                phone.restore(
                    &s, at: Double(at) * 5, SyncPhone.answer(401, ["WWW-Authenticate: Basic"]))
            }
        },
        RuleCase(R.sameCredentials, .behaves, "the user tries again, four times") { s in
            let phone = SyncPhone(&s)
            for at in 0..<4 {
                phone.restore(
                    &s, at: Double(at) * 5, SyncPhone.answer(401, ["WWW-Authenticate: Basic"]))
            }
        },
        RuleCase(R.sameCredentials, .behaves, "a challenge, and other credentials") { s in
            let phone = SyncPhone(&s)
            func digest(_ response: String) -> String {
                phone.login.replacing("response=\"0\"", with: "response=\"\(response)\"")
            }
            let asks = ["WWW-Authenticate: Digest realm=\"r\", nonce=\"n\""]
            for (place, login) in [digest("a"), digest("b"), phone.login].enumerated() {
                phone.restore(
                    &s, at: Double(place) + 1, login: login,
                    place == 2 ? SyncPhone.given("t1") : SyncPhone.answer(401, asks))
            }
        },
        RuleCase(R.sameCredentials, .silent, "three runs of a program") { s in
            var phone = SyncPhone(&s)
            for at in [1, 2, 3.0] {
                phone.restore(&s, at: at, SyncPhone.answer(401, ["WWW-Authenticate: Basic"]))
                s.close(phone.connection, at: at + 0.1)
                phone.reconnect(&s, at: at + 0.9)
            }
        },
        RuleCase(
            R.after4xx, .breaks, "a form without what the server wants"
        ) {
            two(&$0, SyncPhone.answer(400, type: "text/plain", "no"), after: 0.1)
        },
        RuleCase(
            R.after4xx, .breaks, "a form whose 422 has another nature",
            also: ["commcare.server.422-nature"]
        ) {
            two(
                &$0, SyncPhone.answer(422, SyncPhone.message("post_processing_failure", "later")),
                after: 0.1)
        },
        RuleCase(
            R.after4xx, .behaves, "a 422 of another nature, with a pause",
            also: ["commcare.server.422-nature"]
        ) {
            two(
                &$0, SyncPhone.answer(422, SyncPhone.message("post_processing_failure", "later")),
                after: 20)
        },
        RuleCase(R.after4xx, .behaves, "another form; after a server's failure") { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, gets: SyncPhone.answer(413, type: "text/plain", "no"))
            phone.submit(&s, at: 1.1, "form-2", gets: SyncPhone.answer(500))
            phone.submit(&s, at: 1.2, "form-2")
        },
        RuleCase(R.after4xx, .silent, "the program was started again") { s in
            var phone = SyncPhone(&s)
            phone.submit(&s, at: 1, gets: SyncPhone.answer(403, type: "text/plain", "no"))
            s.close(phone.connection, at: 1.1)
            phone.reconnect(&s, at: 1.3)
            phone.submit(&s, at: 1.4, gets: SyncPhone.answer(403, type: "text/plain", "no"))
        },
        RuleCase(R.tooManyTries, .breaks, "twenty times") { s in
            let phone = SyncPhone(&s)
            for at in 1...20 { phone.submit(&s, at: Double(at), gets: SyncPhone.answer(500)) }
        },
        RuleCase(R.tooManyTries, .behaves, "sixteen times; then twenty with long pauses") { s in
            let phone = SyncPhone(&s)
            for at in 1...16 { phone.submit(&s, at: Double(at), gets: SyncPhone.answer(500)) }
            for at in 1...20 { phone.submit(&s, at: Double(at) * 100, gets: SyncPhone.answer(500)) }
        },
        RuleCase(R.tooManyTries, .silent, "bytes are missing in the middle") { s in
            let phone = SyncPhone(&s)
            for at in 1...20 { phone.submit(&s, at: Double(at), gets: SyncPhone.answer(500)) }
            s.gap(nil, at: 10.5)
        },
    ]
}
