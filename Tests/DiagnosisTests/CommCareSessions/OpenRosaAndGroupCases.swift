import Wire

@testable import Diagnosis

/// Cases about OpenRosa servers, and about stories.
enum OpenRosaAndGroupCases {
    private typealias R = CommCareSessionRules
    private typealias T = CommCareFindingGroups

    static let all: [RuleCase] = openRosa + duplicates + loops

    private static func ask(
        _ s: inout SessionScript, _ method: String, at: Double, _ status: Int,
        fault: Bool = false
    ) {
        let id = s.connection(at: at - 0.1)
        if fault { s.rule("=> status \(status)") }
        let form =
            method == "POST"
            ? #"<data id="f" xmlns="http://example.org/f"><meta xmlns="http://openrosa.org/xforms"><instanceID>uuid:\#(Int(at))</instanceID></meta></data>"#
            : ""
        s.exchange(
            id,
            "\(method) /submission?deviceID=d-1 HTTP/1.1\nHost: odk.example.org\nX-OpenRosa-Version: 1.0\n"
                + "Date: Tue, 03 Feb 2026 10:00:00 GMT\n"
                + (method == "POST" ? "Content-Type: text/xml\n" : "") + "\n" + form,
            SyncPhone.answer(
                status, status == 401 ? ["WWW-Authenticate: Digest realm=\"r\", nonce=\"n\""] : [],
                method == "POST" ? SyncPhone.message("submit_success", "ok") : ""), at: at,
            isCalm: fault)
    }

    private static let openRosa: [RuleCase] = [
        RuleCase(R.noHead, .breaks, "a submission at once") { ask(&$0, "POST", at: 1, 201) },
        RuleCase(R.noHead, .behaves, "HEAD first") { s in
            ask(&s, "HEAD", at: 1, 204)
            ask(&s, "POST", at: 2, 201)
        },
        RuleCase(R.noHead, .silent, "a CommCare server wants none") { s in
            SyncPhone(&s).submit(&s, at: 1)
        },
        RuleCase(R.headNot204, .breaks, "HEAD answered with 200") { ask(&$0, "HEAD", at: 1, 200) },
        RuleCase(R.headNot204, .behaves, "HEAD answered with 204, or a challenge") { s in
            ask(&s, "HEAD", at: 1, 401)
            ask(&s, "HEAD", at: 2, 204)
        },
        RuleCase(R.headNot204, .silent, "Tapedeck answered") {
            ask(&$0, "HEAD", at: 1, 200, fault: true)
        },
    ]

    /// A form whose answer is lost, and what follows at 20.
    private static func lose(
        _ s: inout SessionScript, end: String? = "2026-02-03T10:05:00.000Z",
        then: (inout SessionScript, SyncPhone) -> Void
    ) {
        var phone = SyncPhone(&s)
        s.rule("=> lose-answer how=close", at: 1, within: 0.1)
        phone.submit(&s, at: 1, "form-1", end: end)
        phone.reconnect(&s, at: 19)
        then(&s, phone)
    }

    private static let duplicates: [RuleCase] = [
        RuleCase(T.duplicateForm, .breaks, "the same content under a new identifier") {
            lose(&$0) { s, phone in phone.submit(&s, at: 20, "form-2") }
        },
        RuleCase(T.duplicateForm, .breaks, "the same content after a server error") { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, "form-1", gets: SyncPhone.busy())
            phone.submit(&s, at: 60, "form-2")
        },
        RuleCase(T.duplicateForm, .behaves, "the same form; another one") {
            lose(&$0) { s, phone in
                phone.submit(&s, at: 20, "form-1")
                phone.submit(&s, at: 21, "form-2", detail: "43")
            }
        },
        RuleCase(T.duplicateForm, .silent, "forms without times may be alike") {
            lose(&$0, end: nil) { s, phone in phone.submit(&s, at: 20, "form-2", end: nil) }
        },
        RuleCase(T.duplicateForm, .silent, "the first was answered") { s in
            let phone = SyncPhone(&s)
            phone.submit(&s, at: 1, "form-1")
            phone.submit(&s, at: 20, "form-2")
        },
    ]

    private static func again(
        _ s: inout SessionScript, _ times: Int, every pause: Double, _ answer: String
    ) {
        let phone = SyncPhone(&s)
        for place in 0..<times {
            phone.restore(
                &s, at: 1 + Double(place) * pause, since: "t0",
                answer.replacing("done=\"1\"", with: "done=\"\(place)\""))
        }
    }

    /// A device that restores everything three times and is refused after each.
    private static func recover(_ s: inout SessionScript, lacking missing: String?) {
        let phone = SyncPhone(&s)
        let cases = ["a", "b"]
        for round in 0..<4 {
            let at = Double(round) * 60 + 1
            phone.restore(&s, at: at, SyncPhone.given("t\(round)", cases.map { SyncPhone.new($0) }))
            guard round < 3 else { return }
            phone.restore(
                &s, at: at + 30, since: "t\(round)", has: cases.filter { $0 != missing },
                SyncPhone.refused)
        }
    }

    private static let loops: [RuleCase] = [
        RuleCase(T.retryStorm, .breaks, "ten restores in a second") {
            again(&$0, 10, every: 0.1, SyncPhone.busy())
        },
        RuleCase(
            T.retryStorm, .behaves, "ten restores with growing pauses",
            also: ["commcare.server.overload-without-retry-after"]
        ) { s in
            let phone = SyncPhone(&s)
            for place in 0..<10 {
                phone.restore(&s, at: 1 + 10 * Double(1 << place), SyncPhone.busy())
            }
        },
        RuleCase(
            T.retryStorm, .silent, "bytes are missing all the time",
            also: ["commcare.server.overload-without-retry-after"]
        ) { s in
            again(&s, 10, every: 0.1, SyncPhone.busy())
            for place in 0..<10 { s.gap(nil, at: 1.05 + Double(place) * 0.1) }
        },
        RuleCase(T.loop412, .breaks, "412 for ever") {
            again(&$0, 6, every: 10, SyncPhone.refused)
        },
        RuleCase(T.loop412, .breaks, "a case is missing again after each full restore") {
            recover(&$0, lacking: "b")
        },
        RuleCase(T.loop412, .behaves, "a server that refuses the right hash") {
            recover(&$0, lacking: nil)
        },
        RuleCase(T.loop412, .behaves, "412, and everything anew, each day") { s in
            let phone = SyncPhone(&s)
            for day in 0..<4 {
                let at = Double(day) * 100 + 1
                phone.restore(&s, at: at, since: "t\(day)", SyncPhone.refused)
                phone.restore(&s, at: at + 1, SyncPhone.given("t\(day + 1)"))
            }
        } unlike: { s in
            let phone = SyncPhone(&s)
            for day in 0..<4 {
                let at = Double(day) * 100 + 1
                phone.restore(&s, at: at, since: "t0", SyncPhone.refused)
                phone.restore(&s, at: at + 1, since: "t0", SyncPhone.refused)
            }
        },
        RuleCase(T.loop412, .silent, "the refusals came too late to be heard") { s in
            let phone = SyncPhone(&s)
            for place in 0..<5 {
                phone.restore(
                    &s, at: 1 + Double(place) * 100, since: "t0", SyncPhone.refused, took: 70)
            }
        },
        RuleCase(T.pollLoop, .breaks, "twenty polls in a second") {
            again(&$0, 20, every: 0.05, SyncPhone.pending("5"))
        },
        RuleCase(T.pollLoop, .behaves, "twenty polls as asked") {
            again(&$0, 20, every: 5.1, SyncPhone.pending("5"))
        },
        RuleCase(
            T.pollLoop, .silent, "nobody said how long to wait",
            also: ["commcare.server.retry-after-missing"]
        ) {
            again(&$0, 20, every: 0.05, SyncPhone.pending(nil))
        },
        RuleCase(T.headOfLine, .breaks, "one form, refused for ever") { s in
            let phone = SyncPhone(&s)
            for place in 0..<8 {
                phone.submit(
                    &s, at: 1 + Double(place) * 60,
                    gets: SyncPhone.answer(400, type: "text/plain", "no"))
            }
        },
        RuleCase(T.headOfLine, .behaves, "others go between") { s in
            let phone = SyncPhone(&s)
            for place in 0..<8 {
                phone.submit(
                    &s, at: 1 + Double(place) * 60,
                    gets: SyncPhone.answer(400, type: "text/plain", "no"))
                phone.submit(&s, at: 20 + Double(place) * 60, "other-\(place)")
            }
        } unlike: { s in
            let phone = SyncPhone(&s)
            for place in 0..<8 {
                phone.submit(
                    &s, at: 1 + Double(place) * 60,
                    gets: SyncPhone.answer(400, type: "text/plain", "no"))
            }
        },
        RuleCase(T.headOfLine, .silent, "Tapedeck refuses it") { s in
            let phone = SyncPhone(&s)
            for place in 0..<8 {
                let at = 1 + Double(place) * 60
                s.rule("=> status 400", at: at)
                phone.submit(
                    &s, at: at, gets: SyncPhone.answer(400, type: "text/plain", "no"), isCalm: true)
            }
        },
    ]
}
