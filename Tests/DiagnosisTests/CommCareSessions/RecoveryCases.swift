import Wire

@testable import Diagnosis

/// Cases about 412, the state hash, claims, and what servers give out.
enum RecoveryCases {
    private typealias R = CommCareSessionRules

    static let all: [RuleCase] = refusals + givenUp + states + claims + servers

    private static let refusals: [RuleCase] = [
        RuleCase(R.incrementalAfter412, .breaks, "the same again") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1"))
            phone.restore(&s, at: 20, since: "t1", SyncPhone.refused)
            phone.restore(&s, at: 20.5, since: "t1", SyncPhone.refused)
            phone.restore(&s, at: 21, SyncPhone.given("t2"))
        },
        RuleCase(R.incrementalAfter412, .breaks, "state is left in") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, since: "t0", SyncPhone.refused)
            phone.restore(&s, at: 2, more: "&state=ccsh%3A", SyncPhone.given("t2"))
        },
        RuleCase(R.incrementalAfter412, .breaks, "a 412 that Tapedeck made") { s in
            let phone = SyncPhone(&s)
            s.rule("=> status 412", at: 1)
            phone.restore(&s, at: 1, since: "t0", SyncPhone.refused, isCalm: true)
            phone.restore(&s, at: 2, since: "t0", SyncPhone.given("t2"))
        },
        RuleCase(R.incrementalAfter412, .behaves, "a full restore follows") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1"))
            phone.restore(&s, at: 20, since: "t1", SyncPhone.refused)
            phone.restore(&s, at: 20.1, SyncPhone.answer(401, ["WWW-Authenticate: Basic"]))
            phone.restore(&s, at: 25, SyncPhone.pending())
            phone.restore(&s, at: 27.1, SyncPhone.given("t2"))
            phone.restore(&s, at: 40, since: "t2", SyncPhone.given("t3"))
        },
        RuleCase(R.incrementalAfter412, .silent, "the 412 came after the client had given up") {
            s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, since: "t0", SyncPhone.refused, took: 70)
            phone.restore(&s, at: 100, since: "t0", SyncPhone.given("t2"))
        },
        RuleCase(R.noRecoveryAfter412, .breaks, "forms go on, restores do not") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, since: "t0", SyncPhone.refused)
            phone.submit(&s, at: 90, token: "t0")
        },
        RuleCase(R.noRecoveryAfter412, .behaves, "a full restore before the next form") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, since: "t0", SyncPhone.refused)
            phone.restore(&s, at: 2, SyncPhone.answer(500))
            phone.submit(&s, at: 90, token: "t0")
        },
        RuleCase(R.noRecoveryAfter412, .silent, "the client is gone") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, since: "t0", SyncPhone.refused)
        },
        RuleCase(R.noRecoveryAfter412, .silent, "a fault kept it from coming back") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, since: "t0", SyncPhone.refused)
            let again = SyncPhone(&s, at: 2)
            s.rule("=> refuse", at: 2, within: 0.1)
            again.restore(&s, at: 2.05, nil)
            phone.submit(&s, at: 90, token: "t0")
        } unlike: { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, since: "t0", SyncPhone.refused)
            phone.submit(&s, at: 90, token: "t0")
        },
        RuleCase(R.fullRepeated, .breaks, "full, 412, full") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, since: "t0", SyncPhone.refused)
            phone.restore(&s, at: 2, SyncPhone.refused)
            phone.restore(&s, at: 3, SyncPhone.refused)
        },
        RuleCase(
            R.fullRepeated, .behaves, "the user tries again later",
            also: ["commcare.server.412-to-full-restore"]
        ) { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, since: "t0", SyncPhone.refused)
            phone.restore(&s, at: 2, SyncPhone.refused)
            phone.restore(&s, at: 30, SyncPhone.given("t1"))
        },
        RuleCase(
            R.fullRepeated, .silent, "the program was started anew",
            also: ["commcare.server.412-to-full-restore"]
        ) { s in
            var phone = SyncPhone(&s)
            phone.restore(&s, at: 1, since: "t0", SyncPhone.refused)
            phone.restore(&s, at: 2, SyncPhone.refused)
            s.close(phone.connection, at: 2.1)
            phone.reconnect(&s, at: 2.9)
            phone.restore(&s, at: 3, SyncPhone.refused)
        },
        RuleCase(R.skipsFixtures, .breaks, "the flag is passed on") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, since: "t0", SyncPhone.refused)
            phone.restore(&s, at: 2, more: "&skip_fixtures=true", SyncPhone.given("t1"))
        },
        RuleCase(R.skipsFixtures, .behaves, "the flag on a sync only") { s in
            let phone = SyncPhone(&s)
            phone.restore(
                &s, at: 1, since: "t0", more: "&skip_fixtures=true", SyncPhone.refused)
            phone.restore(&s, at: 2, SyncPhone.given("t1"))
        },
        RuleCase(R.skipsFixtures, .silent, "Tapedeck changed the request") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, since: "t0", SyncPhone.refused)
            s.rule("=> set-header X-Tapedeck 1 sender=client", at: 2)
            phone.restore(&s, at: 2, more: "&skip_fixtures=true", SyncPhone.given("t1"))
        },
    ]

    /// So many full restores, with a form that has the token after each; an incremental one before the
    /// last, if wanted.
    private static func full(
        _ s: inout SessionScript, _ times: Int, syncs: Bool = false, isRefused: Bool = false
    ) {
        let phone = SyncPhone(&s)
        for number in 1...times {
            let at = Double(number) * 100
            if syncs, number == times {
                phone.restore(
                    &s, at: at - 20, since: "t\(number - 1)", SyncPhone.given("s\(number)"))
            }
            if isRefused, number > 1 {
                phone.restore(&s, at: at - 1, since: "t\(number - 1)", SyncPhone.refused)
            }
            phone.restore(&s, at: at, SyncPhone.given("t\(number)"))
            phone.submit(&s, at: at + 50, "form-\(number)", token: "t\(number)")
        }
    }

    /// A restore gets this, and the client sends a form so long after it.
    private static func giveUp(
        _ s: inout SessionScript, _ answer: String, after pause: Double, isRepeated: Bool = false,
        isFaulted: Bool = false
    ) {
        let phone = SyncPhone(&s)
        phone.restore(&s, at: 1, answer)
        if isRepeated { phone.restore(&s, at: 60, SyncPhone.given("t1")) }
        if isFaulted { s.act(phone.connection, "latency 1ms", at: 100) }
        phone.submit(&s, at: 1 + pause, token: isRepeated ? "t1" : nil)
    }

    private static let givenUp: [RuleCase] = [
        RuleCase(R.givenUp, .breaks, "503 and then a form") {
            giveUp(&$0, SyncPhone.busy(retryAfter: 5), after: 700)
        },
        RuleCase(R.givenUp, .behaves, "503, and the restore again") {
            giveUp(&$0, SyncPhone.busy(retryAfter: 5), after: 700, isRepeated: true)
        } unlike: {
            giveUp(&$0, SyncPhone.busy(retryAfter: 5), after: 700)
        },
        RuleCase(R.givenUp, .silent, "Tapedeck did something since") {
            giveUp(&$0, SyncPhone.busy(retryAfter: 5), after: 700, isFaulted: true)
        } unlike: {
            giveUp(&$0, SyncPhone.busy(retryAfter: 5), after: 700)
        },
    ]

    /// The device closes a case and has lost another; the server refuses its state.
    private static func missing(_ s: inout SessionScript) {
        let phone = SyncPhone(&s)
        phone.restore(
            &s, at: 1,
            SyncPhone.given("t1", [SyncPhone.new("a"), SyncPhone.new("b"), SyncPhone.new("c")]))
        phone.submit(&s, at: 10, token: "t1", blocks: SyncPhone.block("c", "<close/>"))
        phone.restore(&s, at: 20, since: "t1", has: ["a"], SyncPhone.refused)
        phone.restore(&s, at: 20.1, SyncPhone.given("t2"))
    }

    private static let states: [RuleCase] = [
        RuleCase(R.fullAgain, .breaks, "everything, four times") { full(&$0, 4) },
        RuleCase(R.fullAgain, .behaves, "everything, three times") {
            full(&$0, 3)
        } unlike: {
            full(&$0, 4)
        },
        RuleCase(R.fullAgain, .behaves, "a sync between") {
            full(&$0, 4, syncs: true)
        } unlike: {
            full(&$0, 4)
        },
        RuleCase(R.fullAgain, .silent, "each was refused before") {
            full(&$0, 4, isRefused: true)
        } unlike: {
            full(&$0, 4)
        },
        RuleCase(R.stateHash, .breaks, "a case of the restore is forgotten") { s in
            let phone = SyncPhone(&s)
            phone.restore(
                &s, at: 1, SyncPhone.given("t1", [SyncPhone.new("a"), SyncPhone.new("b")]))
            phone.restore(&s, at: 20, since: "t1", has: ["a"], SyncPhone.refused)
            phone.restore(&s, at: 20.1, SyncPhone.given("t2"))
        },
        RuleCase(R.stateHash, .breaks, "the server finds a case missing, too, where one was closed")
        {
            missing(&$0)
        },
        RuleCase(R.stateHash, .breaks, "a form was cut off, and is not sent again") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1", [SyncPhone.new("a")]))
            let other = s.connection(at: 9)
            s.bytes(
                other, .client,
                Array(
                    ("POST /a/demo/receiver/app/ HTTP/1.1\r\nHost: www.commcarehq.org\r\n"
                        + "X-OpenRosa-Version: 3.0\r\nx-openrosa-deviceid: \(phone.device)\r\n"
                        + "Authorization: \(phone.login)\r\nContent-Length: 900\r\n\r\n").utf8),
                at: 10)
            s.close(other, at: 10.1, by: .server)
            phone.restore(&s, at: 20, since: "t1", has: ["a", "mine"], SyncPhone.refused)
            phone.restore(&s, at: 20.1, SyncPhone.given("t2"))
        },
        RuleCase(R.stateHash, .breaks, "a case of a form is forgotten") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1", [SyncPhone.new("a")]))
            phone.submit(&s, at: 10, token: "t1", blocks: SyncPhone.new("mine"))
            phone.restore(&s, at: 20, since: "t1", has: ["a"], SyncPhone.refused)
            phone.restore(&s, at: 20.1, SyncPhone.given("t2"))
        },
        RuleCase(R.stateHash, .behaves, "restores and forms make it") { s in
            let phone = SyncPhone(&s)
            phone.restore(
                &s, at: 1, SyncPhone.given("t1", [SyncPhone.new("a"), SyncPhone.new("b")]))
            phone.submit(&s, at: 10, token: "t1", blocks: SyncPhone.new("mine"))
            phone.restore(
                &s, at: 20, since: "t1", has: ["mine", "a", "b"],
                SyncPhone.given("t2", [SyncPhone.new("c"), SyncPhone.block("a")]))
            phone.restore(
                &s, at: 40, since: "t2", has: ["mine", "a", "b", "c"], SyncPhone.given("t3"))
        },
        RuleCase(R.stateHash, .behaves, "an orphan is purged") { s in
            let phone = SyncPhone(&s)
            phone.restore(
                &s, at: 1,
                SyncPhone.given("t1", [SyncPhone.new("a"), SyncPhone.new("b", index: "gone")]))
            phone.restore(&s, at: 20, since: "t1", has: ["a"], SyncPhone.given("t2"))
        },
        RuleCase(R.stateHash, .silent, "the full restore was not seen") { s in
            let phone = SyncPhone(&s)
            phone.restore(
                &s, at: 1, since: "t0", has: ["x"], SyncPhone.given("t1", [SyncPhone.new("a")]))
            phone.restore(&s, at: 20, since: "t1", has: ["a"], SyncPhone.given("t2"))
        },
        RuleCase(
            R.stateHash, .silent, "a form's fate is not known", also: ["commcare.sync.before-forms"]
        ) { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1", [SyncPhone.new("a")]))
            phone.submit(
                &s, at: 10, token: "t1", blocks: SyncPhone.new("mine"), gets: SyncPhone.answer(500))
            phone.restore(&s, at: 20, since: "t1", has: ["a"], SyncPhone.given("t2"))
        },
    ]

    private static let claims: [RuleCase] = [
        RuleCase(R.missingAfterClaim, .breaks, "claimed, and no sync") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1"))
            phone.claim(&s, at: 10, 201)
            phone.heartbeat(&s, at: 100)
        },
        RuleCase(R.missingAfterClaim, .behaves, "claimed and synced; nothing to do") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1"))
            phone.claim(&s, at: 10, 201)
            phone.restore(&s, at: 11, since: "t1", SyncPhone.given("t2"))
            phone.claim(&s, at: 20, 204)
            phone.heartbeat(&s, at: 100)
        },
        RuleCase(R.missingAfterClaim, .silent, "the client is gone") { s in
            let phone = SyncPhone(&s)
            phone.claim(&s, at: 10, 201)
            phone.heartbeat(&s, at: 20)
        },
    ]

    private static let servers: [RuleCase] = [
        RuleCase(R.refusesFull, .breaks, "412 to a first sync") { s in
            SyncPhone(&s).restore(&s, at: 1, SyncPhone.refused)
        },
        RuleCase(R.refusesFull, .behaves, "412 to since") { s in
            SyncPhone(&s).restore(&s, at: 1, since: "t0", SyncPhone.refused)
        },
        RuleCase(R.refusesFull, .silent, "Tapedeck made the 412") { s in
            let phone = SyncPhone(&s)
            s.rule("=> status 412", at: 1)
            phone.restore(&s, at: 1, SyncPhone.refused, isCalm: true)
        },
        RuleCase(R.tokenReused, .breaks, "one token, two contents") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1"))
            phone.restore(&s, at: 20, SyncPhone.given("t1", [SyncPhone.new("a")]))
        },
        RuleCase(R.tokenReused, .behaves, "a cached answer") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1", [SyncPhone.new("a")]))
            phone.restore(&s, at: 20, SyncPhone.given("t1", [SyncPhone.new("a")]))
        },
        RuleCase(R.tokenReused, .silent, "one of them was changed") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1"))
            s.rule("=> corrupt sender=server", at: 20, within: 0.1)
            phone.restore(&s, at: 20, SyncPhone.given("t1", [SyncPhone.new("a")]))
        },
        RuleCase(R.fullForIncremental, .breaks, "all of ten cases again") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1", many(10)))
            phone.restore(
                &s, at: 20, since: "t1", has: names(10), SyncPhone.given("t2", many(10)))
        },
        RuleCase(R.fullForIncremental, .behaves, "nine of ten cases changed") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1", many(10)))
            phone.restore(
                &s, at: 20, since: "t1", has: names(10), SyncPhone.given("t2", many(9)))
        },
        RuleCase(R.fullForIncremental, .silent, "what the device has was not seen") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, since: "t0", has: names(3), SyncPhone.given("t1", many(10)))
            phone.restore(
                &s, at: 20, since: "t1", has: names(10), SyncPhone.given("t2", many(10)))
        },
    ]

    private static func names(_ count: Int) -> [String] { (0..<count).map { "case-\($0)" } }
    private static func many(_ count: Int) -> [String] { names(count).map { SyncPhone.new($0) } }
}
