import Notation
import Testing
import Wire

@testable import Diagnosis

/// Sessions in which the client does nothing wrong.
@Suite struct CommCarePlaybookTests {
    private func blamed(_ script: SessionScript) -> [String] {
        script.findings().filter { $0.rule.blames == .client && $0.severity != .info }
            .map { "\($0.rule.id): \($0.detail)" }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `a client that decides as the built-in one is blamed for nothing`(_ seed: UInt64) {
        var script = SessionScript()
        var client = PoliteClient(seed: seed, &script)
        for _ in 0..<25 { client.run(&script) }
        #expect(blamed(script) == [])
    }

    @Test func `the same holds where only the end of it was captured`() {
        for seed in 1_000..<1_020 as Range<UInt64> {
            var script = SessionScript()
            var client = PoliteClient(seed: seed, &script)
            for _ in 0..<20 { client.run(&script) }
            script.gap(nil, at: 60)
            #expect(blamed(script) == [])
        }
    }

    @Test func `somebody tries things out with curl`() {
        var script = SessionScript()
        for (place, status) in [404, 401, 200, 200, 202].enumerated() {
            let id = script.connection(at: Double(place) * 5)
            let login = place > 1 ? "Authorization: Basic YW5uYUBkZW1vOng=\n" : ""
            let answer =
                status == 200
                ? SyncPhone.given("t\(place)") : status == 202 ? SyncPhone.pending() : nil
            script.exchange(
                id,
                "GET /a/demo/phone/restore/?version=2.0 HTTP/1.1\nHost: localhost:8000\n"
                    + "User-Agent: curl/8.5.0\nAccept: */*\nX-OpenRosa-Version: 3.0\n"
                    + "x-openrosa-deviceid: curl\n\(login)\n",
                answer ?? SyncPhone.answer(status), at: Double(place) * 5 + 0.01)
            script.close(id, at: Double(place) * 5 + 0.1)
        }
        #expect(blamed(script) == [])
    }

    @Test func `a script that sends many forms`() {
        var script = SessionScript()
        let phone = SyncPhone(&script)
        for place in 0..<200 {
            phone.submit(
                &script, at: 1 + Double(place) * 0.02, "uuid-\(place)", end: nil,
                gets: place % 7 == 3 ? SyncPhone.answer(500) : SyncPhone.taken)
        }
        #expect(blamed(script) == [])
    }

    @Test func `a request that Tapedeck sent again is nobody's`() {
        var script = SessionScript()
        let phone = SyncPhone(&script)
        phone.submit(&script, at: 1)
        script.rule("=> repeat count=1", at: 1)
        script.bytes(
            phone.connection, .server, SessionScript.message(SyncPhone.taken), at: 1.03)
        #expect(blamed(script) == [])
    }

    @Test func `findings are the same for the same session, and live ones come in time`() {
        var script = SessionScript()
        let phone = SyncPhone(&script)
        for place in 0..<6 {
            phone.restore(&script, at: 1 + Double(place), since: "t0", SyncPhone.refused)
        }
        #expect(script.findings() == script.findings())
        var diagnosis = Diagnosis()
        var seen: [String] = []
        for evidence in script.evidence() {
            diagnosis.observe(evidence)
            seen += diagnosis.takeNew().map(\.rule.id)
        }
        #expect(seen.contains("commcare.sync.incremental-after-412"))
        #expect(seen.contains("commcare.story.412-loop"))
    }
}

/// What peers may send: nothing of it stops the diagnosis.
@Suite struct CommCareHostileTests {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `random requests and answers are survived`(_ seed: UInt64) {
        var chance = SplitMix64(seed: seed)
        var script = SessionScript()
        let paths = [
            "GET /a/d/phone/restore/", "GET /phone/restore/?since=&state=", "POST /a/d/receiver/",
            "HEAD /submission", "POST /submission", "GET /a/d/phone/heartbeat/x",
            "POST /a/d/phone/claim-case/", "GET /a/d/phone/restore/?since=t1&state=ccsh%3",
            "GET /a//phone/restore/?user_id=%ff%", "GET /a/d/phone/search/",
        ]
        let logins = [
            "", "Authorization: Basic =\n", "Authorization: Digest username=\"\n",
            "Authorization: \n",
        ]
        var id = script.connection(at: 0)
        for place in 0..<120 {
            if chance.next() % 9 == 0 { id = script.connection(at: Double(place) * 0.7) }
            let request = paths[Int(chance.next() % UInt64(paths.count))]
            let login = logins[Int(chance.next() % UInt64(logins.count))]
            let body = request.hasPrefix("POST") ? garbage(&chance) : ""
            script.exchange(
                id,
                "\(request) HTTP/1.1\nHost: h\nX-CommCareHQ-LastSyncToken: t\(chance.next() % 3)\n\(login)\n\(body)",
                request.hasPrefix("HEAD")
                    ? "HTTP/1.1 \([200, 204, 412][Int(chance.next() % 3)]) X\nContent-Length: 0\n\n"
                    : SyncPhone.answer(
                        [200, 201, 202, 401, 406, 412, 422, 429, 503, 999][Int(chance.next() % 10)],
                        [
                            "Retry-After: \(["0", "-1", "99999999999999999999", "1", "x"][Int(chance.next() % 5)])"
                        ],
                        garbage(&chance)), at: Double(place) * 0.7 + 0.1)
        }
        #expect(script.findings().count < 10_000)
    }

    private func garbage(_ chance: inout SplitMix64) -> String {
        let pieces = [
            "<OpenRosaResponse>", "</OpenRosaResponse>", "<Sync><restore_id>t1</restore_id></Sync>",
            SyncPhone.block("a"), SyncPhone.new("a", index: "b"), SyncPhone.new("b", index: "a"),
            "<data xmlns='x'>", "<meta><instanceID>i</instanceID></meta>", "</data>", "\u{0}", "é",
            #"<message nature="processing_failure">x</message>"#, "<progress done='9' total='-'/>",
            SyncPhone.block("", "<close/>"), "{\"error\":1}",
        ]
        return (0..<Int(chance.next() % 6)).map { _ in
            pieces[Int(chance.next() % UInt64(pieces.count))]
        }.joined()
    }

    @Test func `a chain of cases longer than any search is survived`() {
        var script = SessionScript()
        let phone = SyncPhone(&script)
        let chain = (0..<3_000).map { SyncPhone.new("c\($0)", index: "c\($0 + 1)") }
        phone.restore(&script, at: 1, SyncPhone.given("t1", chain))
        phone.submit(
            &script, at: 20, token: "t1", blocks: SyncPhone.new("c3000", index: "c0"))
        #expect(script.broken().contains("commcare.case.cycle"))
    }

    @Test(
        arguments: [
            ("Basic YW5uYUBkZW1vOnNlY3JldA==", "anna"), ("basic QW5uYTo=", "anna"),
            (#"Digest username="Anna@demo", realm="r""#, "anna"), ("Bearer abc", nil),
            ("Basic !", nil),
            ("Basic", nil), ("", nil),
        ] as [(String, String?)])
    func `credentials name their user`(_ value: String, _ user: String?) {
        #expect(CommCareCredentials(value)?.user == user)
    }
}
