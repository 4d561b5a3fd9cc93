import Wire

@testable import Diagnosis

/// Cases about cases: what forms and restores do with what is there.
enum CaseCases {
    private typealias R = CommCareSessionRules

    static let all: [RuleCase] = [
        RuleCase(R.unknownCase, .breaks, "an update of nobody's case") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1", [SyncPhone.new("a")]))
            phone.submit(&s, at: 20, token: "t1", blocks: SyncPhone.block("b"))
        },
        RuleCase(R.unknownCase, .breaks, "a close") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1", [SyncPhone.new("a")]))
            phone.submit(&s, at: 20, token: "t1", blocks: SyncPhone.block("b", "<close/>"))
        },
        RuleCase(R.unknownCase, .behaves, "cases of the restore, of the form and of one before") {
            s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1", [SyncPhone.new("a")]))
            phone.submit(
                &s, at: 20, token: "t1", blocks: SyncPhone.new("b"), gets: SyncPhone.invalid)
            phone.submit(
                &s, at: 30, "form-2", token: "t1",
                blocks: SyncPhone.block("a") + SyncPhone.block("b") + SyncPhone.new("c")
                    + SyncPhone.block("c"))
        },
        RuleCase(R.unknownCase, .silent, "only an incremental restore was seen") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, since: "t0", SyncPhone.given("t1", [SyncPhone.new("a")]))
            phone.submit(&s, at: 20, token: "t1", blocks: SyncPhone.block("b"))
        },
        RuleCase(R.unknownCase, .silent, "the restore was changed on purpose") { s in
            let phone = SyncPhone(&s)
            s.rule("=> corrupt sender=server", at: 1, within: 0.1)
            phone.restore(&s, at: 1, SyncPhone.given("t1", [SyncPhone.new("a")]))
            phone.submit(&s, at: 20, token: "t1", blocks: SyncPhone.block("b"))
        },
        RuleCase(R.cycle, .breaks, "a parent becomes the child of its child") { s in
            let phone = SyncPhone(&s)
            phone.restore(
                &s, at: 1,
                SyncPhone.given("t1", [SyncPhone.new("a"), SyncPhone.new("b", index: "a")]))
            phone.submit(
                &s, at: 20, token: "t1", blocks: SyncPhone.block("a", SyncPhone.index("b")))
        },
        RuleCase(R.cycle, .behaves, "two children, and a grandchild") { s in
            let phone = SyncPhone(&s)
            phone.restore(
                &s, at: 1,
                SyncPhone.given("t1", [SyncPhone.new("a"), SyncPhone.new("b", index: "a")]))
            phone.submit(
                &s, at: 20, token: "t1",
                blocks: SyncPhone.new("c", index: "b") + SyncPhone.new("d", index: "a"))
        },
        RuleCase(R.cycle, .silent, "the full restore was not seen") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, since: "t0", SyncPhone.given("t1"))
            phone.submit(
                &s, at: 20, token: "t1", blocks: SyncPhone.block("a", SyncPhone.index("b")))
        },
        RuleCase(R.serverUnknownCase, .breaks, "an update without create") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1", [SyncPhone.new("a")]))
            phone.restore(
                &s, at: 20, since: "t1", has: ["a"], SyncPhone.given("t2", [SyncPhone.block("b")]))
        },
        RuleCase(R.serverUnknownCase, .behaves, "updates of what is there") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1", [SyncPhone.new("a")]))
            phone.submit(&s, at: 10, token: "t1", blocks: SyncPhone.new("mine"))
            phone.restore(
                &s, at: 20, since: "t1", has: ["a", "mine"],
                SyncPhone.given(
                    "t2", [SyncPhone.new("b"), SyncPhone.block("a"), SyncPhone.block("mine")]))
        } unlike: { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1", [SyncPhone.new("a")]))
            phone.restore(
                &s, at: 20, since: "t1", has: ["a"],
                SyncPhone.given(
                    "t2", [SyncPhone.new("b"), SyncPhone.block("a"), SyncPhone.block("mine")]))
        },
        RuleCase(R.serverUnknownCase, .silent, "the full restore was not seen") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 20, since: "t1", SyncPhone.given("t2", [SyncPhone.block("b")]))
        },
        RuleCase(R.serverCycle, .breaks, "two cases, each the child of the other") { s in
            let phone = SyncPhone(&s)
            phone.restore(
                &s, at: 1,
                SyncPhone.given(
                    "t1", [SyncPhone.new("a", index: "b"), SyncPhone.new("b", index: "a")]))
        },
        RuleCase(R.serverCycle, .behaves, "a chain") { s in
            let phone = SyncPhone(&s)
            phone.restore(
                &s, at: 1,
                SyncPhone.given(
                    "t1",
                    [
                        SyncPhone.new("a", index: "b"), SyncPhone.new("b", index: "c"),
                        SyncPhone.new("c"),
                    ]))
        },
        RuleCase(R.serverCycle, .silent, "Tapedeck changed the restore") { s in
            let phone = SyncPhone(&s)
            s.rule("=> corrupt sender=server", at: 1, within: 0.1)
            phone.restore(
                &s, at: 1,
                SyncPhone.given(
                    "t1", [SyncPhone.new("a", index: "b"), SyncPhone.new("b", index: "a")]))
        },
    ]
}
