import Testing
import Wire

@testable import Diagnosis

@Suite struct CommCareExchangeTests {
    @Test(arguments: CommCareRequestCases.all)
    func `a rule about requests to CommCare says what it should`(_ one: RuleCase) {
        one.check(among: CommCareRequestCases.all)
    }

    @Test(arguments: CommCareAnswerCases.all)
    func `a rule about answers of CommCare says what it should`(_ one: RuleCase) {
        one.check(among: CommCareAnswerCases.all)
    }

    @Test func `every rule about one exchange has a case of each kind`() {
        let cases = CommCareRequestCases.all + CommCareAnswerCases.all
        #expect(RuleCase.missing(CommCareExchangeRules.all, cases).isEmpty)
    }

    @Test func `a phone that syncs and submits has no findings`() {
        var script = SessionScript()
        let id = script.connection(at: 0)
        script.exchange(
            id, Phone.restore(),
            Phone.answer("202 Accepted", Phone.pending, Phone.xml + "\nRetry-After: 5"), at: 1)
        script.exchange(id, Phone.restore(), Phone.restored, at: 7)
        script.exchange(
            id,
            Phone.submit(Phone.form, Phone.fields + "\nX-CommCareHQ-LastSyncToken: r1"),
            Phone.accepted, at: 20)
        #expect(script.findings().map(\.detail) == [])
    }

    @Test func `a form by itself, without parts, has no findings`() {
        var script = SessionScript()
        let id = script.connection(at: 0)
        script.exchange(
            id,
            "POST /a/demo/receiver/ HTTP/1.1\n\(Phone.fields)\nContent-Type: text/xml\n\n"
                + Phone.form.replacing("<photo>a.jpg</photo>", with: ""), Phone.accepted, at: 1)
        #expect(script.findings().map(\.detail) == [])
    }

    @Test func `a heartbeat and other requests of curl have no findings`() {
        var script = SessionScript()
        let id = script.connection(at: 0)
        for path in ["/a/demo/phone/heartbeat/b1/?app_id=a", "/a/demo/phone/keys/", "/formList2"] {
            script.exchange(
                id,
                "GET \(path) HTTP/1.1\nHost: hq.example\nUser-Agent: curl/8.5.0\nAccept: */*\n\n",
                Phone.answer("200 OK", "{}", "Content-Type: application/json"), at: 1)
        }
        #expect(script.findings().map(\.detail) == [])
    }

    @Test func `the words quote the field, the case and the place`() throws {
        var script = SessionScript()
        let id = script.connection(at: 0)
        let form = Phone.form.replacing(
            "</create>", with: "<village>x</village></create>")
        script.exchange(
            id, Phone.submit(form, Phone.fields.replacing("3.0", with: "2.0")), Phone.accepted,
            at: 1)
        let findings = script.findings()
        let create = try #require(
            findings.first { $0.rule == CommCareExchangeRules.createUnknown })
        #expect(create.detail.hasPrefix("A case block has <village> in create, at line 1, column "))
        #expect(create.topic == "i-1")
        #expect(create.client == "d1")
        let version = try #require(
            findings.first { $0.rule == CommCareExchangeRules.versionValue })
        #expect(version.detail == "POST /a/demo/receiver/app/ has X-OpenRosa-Version 2.0.")
        #expect(version.steps.last?.quote == "X-OpenRosa-Version: 2.0")
    }

    @Test func `a clock of twelve hours is named`() throws {
        var script = SessionScript()
        let id = script.connection(at: 0)
        script.exchange(
            id,
            Phone.rosa(
                Phone.rosaForm, Phone.rosaFields.replacing("08:49:37", with: "20:49:36")),
            Phone.rosaAnswer(), at: 1)
        let finding = try #require(script.findings().first)
        #expect(finding.rule == CommCareExchangeRules.dateWrong)
        #expect(
            finding.detail.hasSuffix(
                "43199 s after the server's time: 12 h, as of a clock of twelve hours."))
        #expect(finding.cause == "The pattern of the date has `hh` where it needs `HH`.")
    }

    @Test func `a form that was stored and failed later is a remark`() throws {
        var script = SessionScript()
        let id = script.connection(at: 0)
        script.exchange(
            id, Phone.submit(),
            Phone.answer(
                "422 Unprocessable Content", Phone.message("post_processing_failure")), at: 1)
        let finding = try #require(script.findings().first)
        #expect(finding.rule == CommCareExchangeRules.rejectionNature)
        #expect(finding.severity == .info)
    }

    @Test func `a missing field of every request is one finding`() throws {
        var script = SessionScript()
        let id = script.connection(at: 0)
        let fields = Phone.fields.replacing("X-OpenRosa-Version: 3.0\n", with: "")
        for at in 1...5 {
            script.exchange(id, Phone.restore("", fields), Phone.restored, at: Double(at) * 100)
        }
        let findings = script.findings().filter {
            $0.rule == CommCareExchangeRules.versionMissing
        }
        #expect(findings.map(\.times) == [5])
    }

    @Test(arguments: [
        ("10.1.2.3", true), ("172.16.0.1", true), ("172.32.0.1", false), ("8.8.8.8", false),
        ("localhost", true), ("hq", true), ("hq.example", true), ("www.example.org", true),
        ("www.commcarehq.org", false), ("::1", true), ("2001:db8::1", false), ("", true),
    ])
    func `private hosts are known`(_ host: String, _ isPrivate: Bool) {
        #expect(HostName.isPrivate(host) == isPrivate)
    }

    @Test(arguments: 0..<20) func `hostile bodies end in no crash`(_ seed: UInt64) {
        var random = Dice(seed: seed)
        var script = SessionScript()
        let id = script.connection(at: 0)
        let texts = [
            Phone.submit(), Phone.restore(), Phone.rosa(), Phone.restored, Phone.accepted,
            Phone.answer("406 Not Acceptable", "{"), Phone.answer("412 No", "<OpenRosaResponse"),
        ]
        for step in 0..<60 {
            var bytes = SessionScript.message(texts[Int(random.next() % UInt64(texts.count))])
            for _ in 0..<Int(random.next() % 6) {
                bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(
                    truncatingIfNeeded: random.next())
            }
            let peer: Peer = bytes.starts(with: Array("HTTP".utf8)) ? .server : .client
            script.bytes(id, peer, bytes, at: Double(step))
        }
        #expect(script.findings().count < 2_000)
    }
}
