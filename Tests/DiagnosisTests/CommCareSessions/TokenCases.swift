import Wire

@testable import Diagnosis

/// Cases about sync tokens.
enum TokenCases {
    private typealias R = CommCareSessionRules

    static let all: [RuleCase] = missing + stale + broken + others

    private static let missing: [RuleCase] = [
        RuleCase(R.tokenMissing, .breaks, "a form without token after a sync") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1"))
            phone.submit(&s, at: 20)
        },
        RuleCase(R.tokenMissing, .breaks, "and the next sync has it") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1"))
            phone.submit(&s, at: 20)
            phone.restore(&s, at: 22, since: "t1", SyncPhone.given("t2"))
        },
        RuleCase(R.tokenMissing, .breaks, "every time, although all restores are full") { s in
            let phone = SyncPhone(&s)
            for round in 0..<3 {
                phone.restore(&s, at: Double(round) * 20 + 1, SyncPhone.given("t\(round)"))
                phone.submit(&s, at: Double(round) * 20 + 10, "form-\(round)")
            }
        },
        RuleCase(R.tokenMissing, .behaves, "a form with the token") { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 0.5, "form-0")
            phone.restore(&s, at: 1, SyncPhone.given("t1"))
            phone.submit(&s, at: 20, token: "t1")
        },
        RuleCase(R.tokenMissing, .behaves, "a restart that lost the restore begins anew") { s in
            var phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1"))
            s.close(phone.connection, at: 1.02)
            phone.reconnect(&s, at: 19)
            phone.submit(&s, at: 20)
            phone.restore(&s, at: 21, SyncPhone.given("t2"))
            phone.submit(&s, at: 40, "form-2", token: "t2")
        },
        RuleCase(R.tokenMissing, .behaves, "a demonstration") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1"))
            phone.submit(&s, at: 20, login: "", query: "?submit_mode=demo&authtype=noauth")
        },
        RuleCase(R.tokenMissing, .silent, "the restore was cut on purpose") { s in
            let phone = SyncPhone(&s)
            s.rule("=> cut-xml")
            phone.restore(&s, at: 1, SyncPhone.given("t1"))
            phone.submit(&s, at: 20)
        },
        RuleCase(
            R.tokenMissing, .silent, "the restore is not well formed",
            also: ["commcare.server.restore-not-well-formed"]
        ) { s in
            let phone = SyncPhone(&s)
            phone.restore(
                &s, at: 1, SyncPhone.given("t1").replacing("</OpenRosaResponse>", with: ""))
            phone.submit(&s, at: 20)
        },
        RuleCase(R.tokenMissing, .silent, "bytes are missing between") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1"))
            s.gap(nil, at: 10)
            phone.submit(&s, at: 20)
        },
    ]

    private static let stale: [RuleCase] = [
        RuleCase(R.tokenStale, .breaks, "a form has the token before the last") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1"))
            phone.restore(&s, at: 20, since: "t1", SyncPhone.given("t2"))
            phone.submit(&s, at: 40, token: "t1")
            phone.restore(&s, at: 60, since: "t2", SyncPhone.given("t3"))
        },
        RuleCase(R.tokenStale, .breaks, "since never changes") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1"))
            phone.restore(&s, at: 20, since: "t1", SyncPhone.given("t2"))
            phone.restore(&s, at: 40, since: "t1", SyncPhone.given("t3"))
        },
        RuleCase(R.tokenStale, .breaks, "back to an old token") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1"))
            phone.restore(&s, at: 20, since: "t1", SyncPhone.given("t2"))
            phone.submit(&s, at: 30, token: "t2")
            phone.restore(&s, at: 40, since: "t1", SyncPhone.given("t3"))
            phone.restore(&s, at: 60, since: "t3", SyncPhone.given("t4"))
        },
        RuleCase(R.tokenStale, .behaves, "a restart that lost the newest, once") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1"))
            phone.restore(&s, at: 20, since: "t1", SyncPhone.given("t2"))
            phone.restore(&s, at: 40, since: "t1", SyncPhone.given("t3"))
            phone.restore(&s, at: 60, since: "t3", SyncPhone.given("t4"))
        },
        RuleCase(R.tokenStale, .behaves, "each sync has the newest") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1"))
            phone.restore(&s, at: 20, since: "t1", SyncPhone.given("t2"))
            phone.submit(&s, at: 30, token: "t2")
            phone.restore(&s, at: 40, since: "t2", SyncPhone.given("t2"))
            phone.restore(&s, at: 50, since: "t2", SyncPhone.given("t3"))
        },
        RuleCase(R.tokenStale, .silent, "the newer restore was spoilt on purpose") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1"))
            s.rule("=> corrupt at=200 sender=server", at: 20, within: 0.1)
            phone.restore(&s, at: 20, since: "t1", SyncPhone.given("t2"))
            phone.submit(&s, at: 40, token: "t1")
            phone.restore(&s, at: 60, since: "t1", SyncPhone.given("t3"))
        },
        RuleCase(R.tokenStale, .silent, "the newer restore took too long") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1"))
            phone.restore(&s, at: 20, since: "t1", SyncPhone.given("t2"), took: 50)
            phone.submit(&s, at: 90, token: "t1")
        },
    ]

    /// A restore is cut in the middle of its XML, or of its bytes, and a form is sent.
    private static func accept(
        _ s: inout SessionScript, isReadAgain: Bool = false, isEnded: Bool = true
    ) {
        var phone = SyncPhone(&s)
        phone.restore(&s, at: 1, SyncPhone.given("t1"))
        let action = isEnded ? "cut-xml at=260" : "truncate at=260"
        s.rule("api:commcare.restore => \(action)", at: 20, within: 0.5)
        phone.restore(&s, at: 20, since: "t1", SyncPhone.given("t2"))
        if !isEnded { phone.reconnect(&s, at: 25) }
        if isReadAgain { phone.restore(&s, at: 30, since: "t1", SyncPhone.given("t2")) }
        phone.submit(&s, at: 40, token: "t2")
    }

    private static let broken: [RuleCase] = [
        RuleCase(R.tokenOfBrokenRestore, .breaks, "a form has the token of a restore that was cut")
        {
            accept(&$0)
        },
        RuleCase(R.tokenOfBrokenRestore, .behaves, "the restore is requested again") {
            accept(&$0, isReadAgain: true)
        } unlike: {
            accept(&$0)
        },
        RuleCase(R.tokenOfBrokenRestore, .silent, "its end did not reach the device") {
            accept(&$0, isEnded: false)
        } unlike: {
            accept(&$0)
        },
    ]

    private static let others: [RuleCase] = [
        RuleCase(R.tokenDiffers, .breaks, "two tokens in one request") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1"))
            phone.restore(&s, at: 20, since: "t1", header: "t0", SyncPhone.given("t2"))
        },
        RuleCase(R.tokenDiffers, .behaves, "the same in both places") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1"))
            phone.restore(&s, at: 20, since: "t1", header: "t1", SyncPhone.given("t2"))
        },
        RuleCase(R.tokenDiffers, .silent, "Tapedeck changed the header") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1"))
            s.rule("=> set-header X-Tapedeck 1 sender=client", at: 20)
            phone.restore(&s, at: 20, since: "t1", header: "t0", SyncPhone.given("t2"))
        },
        RuleCase(R.tokenOfAnotherUser, .breaks, "ben syncs with the token of anna") { s in
            var phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1"))
            phone.user = "ben"
            phone.restore(&s, at: 20, since: "t1", SyncPhone.refused)
            phone.restore(&s, at: 20.1, SyncPhone.given("t2", user: "ben"))
        },
        RuleCase(R.tokenOfAnotherUser, .behaves, "ben begins anew") { s in
            var phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1"))
            phone.user = "ben"
            phone.restore(&s, at: 20, SyncPhone.given("t2", user: "ben"))
            phone.submit(&s, at: 30, token: "t2")
        },
        RuleCase(R.tokenOfAnotherUser, .silent, "anna asks on behalf of ben") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, more: "&as=ben%40demo", SyncPhone.given("t1", user: "ben"))
            phone.submit(&s, at: 20, token: "t1")
        } unlike: { s in
            var phone = SyncPhone(&s)
            phone.user = "ben"
            phone.restore(&s, at: 1, SyncPhone.given("t1", user: "ben"))
            phone.user = "anna"
            phone.submit(&s, at: 20, token: "t1")
        },
        RuleCase(R.userIDOfAnother, .breaks, "ben asks with the identifier of anna") { s in
            var phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1"))
            phone.user = "ben"
            phone.restore(&s, at: 20, SyncPhone.given("t2", user: "ben"))
            phone.restore(
                &s, at: 40, since: "t2", more: "&user_id=u-anna", SyncPhone.given("t3", user: "ben")
            )
        },
        RuleCase(R.userIDOfAnother, .behaves, "each with the own one") { s in
            var phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1"))
            phone.user = "ben"
            phone.restore(&s, at: 20, SyncPhone.given("t2", user: "ben"))
            phone.restore(
                &s, at: 40, since: "t2", more: "&user_id=u-ben", SyncPhone.given("t3", user: "ben"))
        },
        RuleCase(R.userIDOfAnother, .silent, "whose identifier it is was not seen") { s in
            var phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1"))
            phone.user = "ben"
            phone.restore(&s, at: 20, more: "&user_id=u-carl", SyncPhone.given("t2", user: "ben"))
        },
        RuleCase(R.tokenOfAnotherDevice, .breaks, "two devices, one token") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1"))
            let other = SyncPhone(&s, at: 10, device: "d-2")
            other.submit(&s, at: 20, token: "t1")
        },
        RuleCase(R.tokenOfAnotherDevice, .behaves, "two devices, two tokens") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1"))
            let other = SyncPhone(&s, at: 10, device: "d-2")
            other.restore(&s, at: 15, SyncPhone.given("t2"))
            other.submit(&s, at: 20, token: "t2")
        },
        RuleCase(R.tokenOfAnotherDevice, .silent, "where the token comes from was not seen") { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, "form-0", token: "t1")
            let other = SyncPhone(&s, at: 10, device: "d-2")
            other.submit(&s, at: 20, token: "t1")
        },
        RuleCase(R.tokenTooOld, .breaks, "since after seventy days") { s in
            let phone = SyncPhone(&s)
            phone.restore(
                &s, at: 1, since: "t0", more: "&days_since_last_sync=70", SyncPhone.given("t1"))
        },
        RuleCase(R.tokenTooOld, .behaves, "since after 63 days") { s in
            let phone = SyncPhone(&s)
            phone.restore(
                &s, at: 1, since: "t0", more: "&days_since_last_sync=63", SyncPhone.given("t1"))
        },
        RuleCase(R.tokenTooOld, .silent, "the days are no number") { s in
            let phone = SyncPhone(&s)
            phone.restore(
                &s, at: 1, since: "t0", more: "&days_since_last_sync=many", SyncPhone.given("t1"))
        },
    ]
}
