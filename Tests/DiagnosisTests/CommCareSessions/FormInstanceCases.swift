import Wire

@testable import Diagnosis

/// Cases about forms and their queue.
enum FormInstanceCases {
    private typealias R = CommCareSessionRules

    static let all: [RuleCase] = again + reuse + queue + order

    /// A form with a picture is refused with this, and sent again with these files.
    private static func picture(_ s: inout SessionScript, _ answer: String, then files: [String]) {
        let phone = SyncPhone(&s)
        phone.submit(&s, at: 1, files: ["a.jpg", "b.jpg"], gets: answer)
        phone.submit(&s, at: 60, files: files)
    }

    private static let again: [RuleCase] = [
        RuleCase(
            R.attachmentDropped, .breaks, "a picture is missing",
            also: ["commcare.submit.attachment-missing"]
        ) {
            picture(&$0, SyncPhone.answer(500), then: ["a.jpg"])
        },
        RuleCase(R.attachmentDropped, .behaves, "all pictures again") {
            picture(&$0, SyncPhone.answer(500), then: ["a.jpg", "b.jpg"])
        } unlike: {
            picture(&$0, SyncPhone.answer(500), then: ["a.jpg"])
        },
        RuleCase(
            R.attachmentDropped, .silent, "it was too large",
            also: ["commcare.submit.attachment-missing"]
        ) {
            picture(&$0, SyncPhone.answer(413), then: ["a.jpg"])
        } unlike: {
            picture(&$0, SyncPhone.answer(500), then: ["a.jpg"])
        },
        RuleCase(R.resentAfter422, .breaks, "the invalid form again") { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, gets: SyncPhone.invalid)
            phone.submit(&s, at: 60, gets: SyncPhone.invalid)
        },
        RuleCase(R.resentAfter422, .breaks, "a 422 that Tapedeck made") { s in
            let phone = SyncPhone(&s)
            s.rule("=> status 422", at: 1)
            phone.submit(&s, at: 1, gets: SyncPhone.invalid, isCalm: true)
            phone.submit(&s, at: 60)
        },
        RuleCase(
            R.resentAfter422, .behaves, "a step after storing failed; another form",
            also: ["commcare.server.422-nature"]
        ) { s in
            let phone = SyncPhone(&s)
            phone.submit(
                &s, at: 1,
                gets: SyncPhone.answer(422, SyncPhone.message("post_processing_failure", "later")))
            phone.submit(&s, at: 60)
            phone.submit(&s, at: 61, "form-2", gets: SyncPhone.invalid)
            phone.submit(&s, at: 62, "form-3")
        },
        RuleCase(R.resentAfter422, .silent, "the 422 was cut", also: ["http.server-short-body"]) {
            s in
            var phone = SyncPhone(&s)
            let answer = SyncPhone.invalid.replacing("Date:", with: "Content-Length: 9999\nDate:")
            phone.submit(&s, at: 1, gets: answer)
            s.close(phone.connection, at: 1.1, by: .server)
            phone.reconnect(&s, at: 5)
            phone.submit(&s, at: 60)
        },
        RuleCase(R.resentAfterSuccess, .breaks, "accepted and sent again") { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1)
            phone.submit(&s, at: 60)
        },
        RuleCase(
            R.resentAfterSuccess, .behaves, "further attachments, and a gateway's page",
            also: [
                "commcare.submit.attachment-missing", "openrosa.server.accepted-without-envelope",
            ]
        ) { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, files: ["a.jpg"])
            phone.submit(&s, at: 2, files: ["b.jpg"])
            phone.submit(
                &s, at: 3, "form-2",
                gets: SyncPhone.answer(200, type: "text/html", "<html>Sign in</html>"))
            phone.submit(&s, at: 60, "form-2")
        } unlike: { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, files: ["a.jpg"])
            phone.submit(&s, at: 2, files: ["a.jpg"])
        },
        RuleCase(R.resentAfterSuccess, .silent, "the answer was lost on purpose") { s in
            var phone = SyncPhone(&s)
            s.rule("=> lose-answer how=close", at: 1, within: 0.1)
            phone.submit(&s, at: 1)
            phone.reconnect(&s, at: 5)
            phone.submit(&s, at: 6)
        },
        RuleCase(R.resentAfterSuccess, .silent, "the client had given up") { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, took: 45)
            phone.submit(&s, at: 100)
        },
        RuleCase(R.slowSubmission, .breaks, "no answer for two minutes") { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, gets: SyncPhone.answer(504, type: "text/plain"), took: 120)
            phone.submit(&s, at: 150)
        },
        RuleCase(R.slowSubmission, .breaks, "still none when it is sent again") { s in
            var phone = SyncPhone(&s)
            phone.submit(&s, at: 1, gets: nil)
            phone.reconnect(&s, at: 69)
            phone.submit(&s, at: 70)
        },
        RuleCase(R.slowSubmission, .behaves, "half a minute") { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, gets: SyncPhone.answer(504, type: "text/plain"), took: 31)
            phone.submit(&s, at: 150)
        },
        RuleCase(R.slowSubmission, .silent, "Tapedeck held it back") { s in
            let phone = SyncPhone(&s)
            s.rule("=> latency 119s sender=server", at: 1, within: 10)
            phone.submit(&s, at: 1, gets: SyncPhone.answer(504, type: "text/plain"), took: 1)
            phone.submit(&s, at: 150)
        } unlike: { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, gets: SyncPhone.answer(504, type: "text/plain"), took: 120)
            phone.submit(&s, at: 150)
        },
    ]

    private static let reuse: [RuleCase] = [
        RuleCase(R.instanceIDReused, .breaks, "another answer under the same identifier") { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, detail: "42")
            phone.submit(&s, at: 60, detail: "43")
        },
        RuleCase(R.instanceIDReused, .breaks, "a retry that is written anew") { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, gets: SyncPhone.answer(500))
            phone.submit(&s, at: 60, end: "2026-02-03T10:06:00.000Z")
        },
        RuleCase(
            R.instanceIDReused, .behaves, "the same bytes; other attachments; an edit",
            also: ["commcare.submit.attachment-missing"]
        ) { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, files: ["a.jpg"], gets: SyncPhone.answer(500))
            phone.submit(&s, at: 60, files: ["b.jpg"])
            phone.submit(&s, at: 70, detail: "43", deprecated: "form-0")
        } unlike: { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, files: ["a.jpg"], gets: SyncPhone.answer(500))
            phone.submit(&s, at: 60, detail: "43", files: ["b.jpg"])
        },
        RuleCase(R.instanceIDReused, .behaves, "the first was refused") { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, gets: SyncPhone.answer(400, type: "text/plain", "no"))
            phone.submit(&s, at: 60, detail: "43")
        },
        RuleCase(R.instanceIDReused, .silent, "Tapedeck changed the first") { s in
            let phone = SyncPhone(&s)
            s.rule("=> corrupt sender=client", at: 1)
            phone.submit(&s, at: 1, detail: "x")
            phone.submit(&s, at: 60)
        },
    ]

    private static let queue: [RuleCase] = [
        RuleCase(R.queueStopped, .breaks, "three forms wait, and none is sent") { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, gets: SyncPhone.invalid)
            phone.heartbeat(&s, at: 100, unsent: 3)
        },
        RuleCase(R.queueStopped, .behaves, "the next was sent") { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, gets: SyncPhone.invalid)
            phone.submit(&s, at: 2, "form-2")
            phone.heartbeat(&s, at: 100, unsent: 3)
        },
        RuleCase(R.queueStopped, .silent, "nothing tells how many wait") { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, gets: SyncPhone.invalid)
            phone.heartbeat(&s, at: 100)
        },
        RuleCase(R.forgotten, .breaks, "two new forms, ten minutes after a 500") { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, "form-1", gets: SyncPhone.answer(500))
            phone.submit(&s, at: 700, "form-2", detail: "43")
            phone.submit(&s, at: 702, "form-3", detail: "44")
        },
        RuleCase(R.forgotten, .behaves, "sent again, before and after a new one") { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, "form-1", gets: SyncPhone.answer(500))
            phone.submit(&s, at: 2, "form-2", detail: "45", gets: SyncPhone.answer(500))
            phone.submit(&s, at: 700, "form-1")
            phone.submit(&s, at: 701, "form-2", detail: "45")
            phone.submit(&s, at: 702, "form-3", detail: "43")
            phone.submit(&s, at: 703, "form-4", detail: "44")
        },
        RuleCase(R.forgotten, .silent, "refused for good; at once; one new form") { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, "form-1", gets: SyncPhone.answer(400))
            phone.submit(&s, at: 690, "form-2", gets: SyncPhone.answer(500))
            phone.submit(&s, at: 700, "form-3")
            phone.submit(&s, at: 702, "form-4")
            phone.submit(&s, at: 1_400, "form-5")
        } unlike: { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, "form-1", gets: SyncPhone.answer(500))
            phone.submit(&s, at: 700, "form-3", detail: "43")
            phone.submit(&s, at: 1_400, "form-5", detail: "45")
        },
        RuleCase(R.beforeForms, .breaks, "a recovery before the form") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1"))
            phone.submit(&s, at: 20, token: "t1", gets: SyncPhone.answer(500))
            phone.restore(&s, at: 30, SyncPhone.given("t2"))
            phone.submit(&s, at: 60, token: "t2")
        },
        RuleCase(R.beforeForms, .breaks, "a full restore over forms that the device counts") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1"))
            phone.heartbeat(&s, at: 20, unsent: 1)
            phone.restore(&s, at: 30, SyncPhone.given("t2"))
            phone.submit(&s, at: 60, token: "t2")
        },
        RuleCase(R.beforeForms, .behaves, "the counted form first") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1"))
            phone.heartbeat(&s, at: 20, unsent: 1)
            phone.submit(&s, at: 25, token: "t1")
            phone.restore(&s, at: 30, SyncPhone.given("t2"))
        },
        RuleCase(R.beforeForms, .behaves, "the form first; a refused form waits for nobody") { s in
            let phone = SyncPhone(&s)
            phone.restore(&s, at: 1, SyncPhone.given("t1"))
            phone.submit(&s, at: 20, token: "t1", gets: SyncPhone.answer(500))
            phone.submit(&s, at: 40, token: "t1")
            phone.submit(&s, at: 41, "form-2", token: "t1", gets: SyncPhone.invalid)
            phone.submit(&s, at: 42, "form-3", token: "t1", gets: SyncPhone.answer(413))
            phone.restore(&s, at: 50, SyncPhone.given("t2"))
        },
        RuleCase(R.beforeForms, .silent, "before the first sync") { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, gets: SyncPhone.answer(500))
            phone.restore(&s, at: 30, SyncPhone.given("t1"))
        },
    ]

    private static let order: [RuleCase] = [
        RuleCase(R.createAfterUpdate, .breaks, "the update goes first") { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, "form-2", blocks: SyncPhone.block("a"))
            phone.submit(&s, at: 2, "form-1", blocks: SyncPhone.new("a"))
        },
        RuleCase(R.createAfterUpdate, .behaves, "the create goes first") { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, "form-1", blocks: SyncPhone.new("a"))
            phone.submit(&s, at: 2, "form-2", blocks: SyncPhone.block("a"))
        },
        RuleCase(R.createAfterUpdate, .silent, "bytes are missing between") { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, "form-2", blocks: SyncPhone.block("a"))
            s.gap(nil, at: 1.5)
            phone.submit(&s, at: 2, "form-1", blocks: SyncPhone.new("a"))
        },
        RuleCase(R.timeBackwards, .breaks, "finished an hour before") { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, "form-2", end: "2026-02-03T12:00:00.000+01:00")
            phone.submit(&s, at: 2, "form-1", end: "2026-02-03T10:00:00.000Z")
        },
        RuleCase(R.timeBackwards, .behaves, "the same moment in two zones") { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, "form-2", end: "2026-02-03T12:00:00.000+02")
            phone.submit(&s, at: 2, "form-1", end: "2026-02-03T10:00:00.000Z")
        },
        RuleCase(R.timeBackwards, .silent, "no times") { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, "form-2", end: "2026-02-03T12:00:00.000Z")
            phone.submit(&s, at: 2, "form-1", end: nil)
        },
    ]
}
