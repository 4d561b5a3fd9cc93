import Wire

@testable import Diagnosis

/// Cases about restores that are being prepared.
enum PollingCases {
    private typealias R = CommCareSessionRules

    static let all: [RuleCase] = clients + progress

    private static let clients: [RuleCase] = [
        RuleCase(R.polledEarly, .breaks, "after half of Retry-After") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.pending("2"))
            phone.restore(&s, at: 2, SyncPhone.given("t1"))
        },
        RuleCase(R.polledEarly, .behaves, "a little early") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.pending("2"))
            phone.restore(&s, at: 2.6, SyncPhone.pending("2", done: 2))
            phone.restore(&s, at: 4.7, SyncPhone.given("t1"))
        },
        RuleCase(R.polledEarly, .behaves, "another user") { s in
            var phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.pending("2"))
            phone.user = "ben"
            phone.restore(&s, at: 1.1, SyncPhone.given("t1", user: "ben"))
        },
        RuleCase(
            R.polledEarly, .silent, "no Retry-After", also: ["commcare.server.retry-after-missing"]
        ) { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.pending(nil))
            phone.restore(&s, at: 1.1, SyncPhone.given("t1"))
        },
        RuleCase(R.polledEarly, .silent, "the 202 was cut", also: ["http.server-short-body"]) { s in
            var phone = SyncPhone(&s)
            let answer = SyncPhone.pending("2").replacing(
                "Date:", with: "Content-Length: 9999\nDate:")
            phone.restore(&s, at: 1, answer)
            s.close(phone.connection, at: 1.1, by: .server)
            phone.reconnect(&s, at: 1.2)
            phone.restore(&s, at: 1.3, SyncPhone.given("t1"))
        },
        RuleCase(R.polledLate, .breaks, "after ten minutes") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.pending("2"))
            phone.restore(&s, at: 600, SyncPhone.given("t1"))
        },
        RuleCase(R.polledLate, .behaves, "a minute late") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.pending("2"))
            phone.restore(&s, at: 63, SyncPhone.given("t1"))
        },
        RuleCase(R.polledLate, .silent, "a blackout between") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.pending("2"))
            let again = SyncPhone(&s, at: 3.1)
            s.rule("=> refuse", at: 3.1, within: 0.1)
            again.restore(&s, at: 3.15, nil)
            phone.restore(&s, at: 600, SyncPhone.given("t1"))
        } unlike: { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.pending("2"))
            phone.restore(&s, at: 600, SyncPhone.given("t1"))
        },
        RuleCase(R.pollAbandoned, .breaks, "something else instead") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.pending("2"))
            phone.heartbeat(&s, at: 300)
        },
        RuleCase(R.pollAbandoned, .behaves, "something else between two polls") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.pending("10"))
            phone.heartbeat(&s, at: 5)
            phone.restore(&s, at: 11.2, SyncPhone.given("t1"))
            phone.heartbeat(&s, at: 300)
        },
        RuleCase(R.pollAbandoned, .silent, "the client is gone") { s in
            SyncPhone(&s).restore(&s, at: 1, SyncPhone.pending("2"))
        },
        RuleCase(R.polledWithoutEnd, .breaks, "250 polls") { s in
            let phone = SyncPhone(&s)
            for poll in 0..<250 {
                phone.restore(
                    &s, at: Double(poll) * 1.1 + 1, SyncPhone.pending("1", done: poll))
            }
        },
        RuleCase(R.polledWithoutEnd, .behaves, "200 polls, and then it comes") { s in
            let phone = SyncPhone(&s)
            for poll in 0..<200 {
                phone.restore(
                    &s, at: Double(poll) * 1.1 + 1, SyncPhone.pending("1", done: poll))
            }
            phone.restore(&s, at: 230, SyncPhone.given("t1"))
        },
        RuleCase(R.polledWithoutEnd, .silent, "bytes are missing in the middle") { s in
            let phone = SyncPhone(&s)
            for poll in 0..<250 {
                phone.restore(
                    &s, at: Double(poll) * 1.1 + 1, SyncPhone.pending("1", done: poll))
            }
            s.gap(nil, at: 150)
        },
        RuleCase(R.formDuringRestore, .breaks, "a form between two polls") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, since: "t0", SyncPhone.pending("2"))
            phone.submit(&s, at: 2, token: "t0")
            phone.restore(&s, at: 3.1, since: "t0", SyncPhone.given("t1"))
        },
        RuleCase(R.formDuringRestore, .behaves, "a form after the restore") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, since: "t0", SyncPhone.pending("2"))
            phone.restore(&s, at: 3.1, since: "t0", SyncPhone.given("t1"))
            phone.submit(&s, at: 10, token: "t1")
        },
        RuleCase(R.formDuringRestore, .silent, "a form without token") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.pending("2"))
            phone.submit(&s, at: 2)
            phone.restore(&s, at: 3.1, SyncPhone.given("t1"))
        },
    ]

    private static func polls(_ s: inout SessionScript, _ done: [Int], fault: Bool = false) {
        let phone = SyncPhone(&s)
        if fault { s.rule("=> set-header X-Tapedeck 1 sender=server") }
        for (poll, done) in done.enumerated() {
            let at = Double(poll) * 2.1 + 1
            phone.restore(&s, at: at, SyncPhone.pending("2", done: done))
        }
    }

    private static let progress: [RuleCase] = [
        RuleCase(R.progressBackwards, .breaks, "20, 10") { polls(&$0, [5, 20, 10, 30]) },
        RuleCase(R.progressBackwards, .behaves, "20, 20, 30") { polls(&$0, [5, 20, 20, 30]) },
        RuleCase(R.progressBackwards, .silent, "Tapedeck changed them") {
            polls(&$0, [5, 20, 10, 30], fault: true)
        },
        RuleCase(R.progressStuck, .breaks, "eleven times the same") {
            polls(&$0, [Int](repeating: 7, count: 12))
        },
        RuleCase(R.progressStuck, .behaves, "ten times the same") {
            polls(&$0, [Int](repeating: 7, count: 10) + [8])
        },
        RuleCase(R.progressStuck, .silent, "Tapedeck changed them") {
            polls(&$0, [Int](repeating: 7, count: 12), fault: true)
        },
    ]
}
