import Notation
import OpenRosa
import Serving
import Testing

@testable import SyncServers

struct CommCareServerTests {
    /// 2026-01-01T00:00:00Z.
    let now: Int64 = 1_767_225_600

    /// A server and the numbers it draws.
    struct Play {
        var server: CommCareServer
        var random = SplitMix64(seed: 1)

        mutating func ask(_ request: ServedRequest) throws -> ServedAnswer {
            try #require(server.answer(request, now: 1_767_225_600, random: &random))
        }

        mutating func submit(
            _ form: String, version: String = "3.0", domain: String = "demo"
        ) throws -> ServedAnswer {
            try ask(
                ServedRequest(
                    "POST", "/a/\(domain)/receiver/",
                    fields: [
                        .init("Host", "server:1"), .init("x-openrosa-version", version),
                        .init("Content-Type", "text/xml"),
                    ], body: Array(form.utf8)))
        }

        mutating func restore(_ query: String = "", user: String = "dTpw") throws -> ServedAnswer {
            try ask(
                ServedRequest(
                    "GET", "/a/demo/phone/restore/\(query)",
                    fields: [
                        .init("Authorization", "Basic \(user)"),
                        .init("X-OpenRosa-Version", "3.0"),
                    ]))
        }
    }

    /// A form with case blocks.
    static func form(_ id: String, _ cases: String = "") -> String {
        """
        <data xmlns="http://x/f"><q>1</q>\(cases)<meta><instanceID>\(id)</instanceID></meta></data>
        """
    }

    /// A case block.
    static func block(_ id: String, _ inside: String) -> String {
        "<case xmlns=\"http://commcarehq.org/case/transaction/v2\" case_id=\"\(id)\" "
            + "date_modified=\"2026-01-01T00:00:00Z\" user_id=\"u1\">\(inside)</case>"
    }

    /// What makes a case.
    static let create =
        "<create><case_type>t</case_type><case_name>n</case_name><owner_id>o</owner_id></create>"

    func text(_ answer: ServedAnswer) -> String { String(decoding: answer.body, as: UTF8.self) }

    func field(_ answer: ServedAnswer, _ name: String) -> String? {
        answer.fields.first { $0.name == name }?.value
    }

    @Test func `thanks for a form`() throws {
        var play = Play(server: CommCareServer())
        let answer = try play.submit(Self.form("abc"))
        #expect(answer.status == 201)
        #expect(
            text(answer)
                == "<OpenRosaResponse xmlns=\"http://openrosa.org/http/response\">"
                + "<message nature=\"submit_success\">Form received</message></OpenRosaResponse>")
        #expect(field(answer, "Location") == "http://server:1/")
        #expect(field(answer, "X-CommCareHQ-FormID") == "abc")
        #expect(field(answer, "X-OpenRosa-Version") == "3.0")
        #expect(field(answer, "X-OpenRosa-Accept-Content-Length") == "10485760")
        #expect(field(answer, "Date") == "Thu, 01 Jan 2026 00:00:00 GMT")
        #expect(field(answer, "Content-Type") == "text/xml; charset=utf-8")
    }

    @Test func `finds the form among the parts`() throws {
        var play = Play(server: CommCareServer())
        let body =
            "--b\r\nContent-Disposition: form-data; name=\"a.jpg\"; filename=\"a.jpg\"\r\n\r\nJPG\r\n"
            + "--b\r\nContent-Disposition: form-data; name=\"xml_submission_file\"; "
            + "filename=\"f.xml\"\r\nContent-Type: text/xml\r\n\r\n\(Self.form("m1"))\r\n--b--\r\n"
        var request = ServedRequest(
            "POST", "/a/demo/receiver/app1/",
            fields: [.init("content-type", "multipart/form-data; boundary=b")],
            body: Array(body.utf8))
        #expect(field(try play.ask(request), "X-CommCareHQ-FormID") == "m1")
        request.body = Array(body.replacing("xml_submission_file", with: "other").utf8)
        #expect(try play.ask(request).status == 400)
        request.body = Array(body.dropLast(6).utf8)
        #expect(try play.ask(request).status == 400)
    }

    @Test(arguments: ["<data", "", "<data/>", "no xml", "<a xmlns='b'><c></a>"])
    func `refuses what is no form`(form: String) throws {
        var play = Play(server: CommCareServer())
        let answer = try play.submit(form, version: "1.0")
        #expect(answer.status == (form.isEmpty ? 400 : 422))
        if !form.isEmpty { #expect(text(answer).contains("nature=\"processing_failure\"")) }
        #expect(play.server.formCount(domain: "demo") == 0)
    }

    @Test func `stores a form that is sent again once`() throws {
        var play = Play(server: CommCareServer())
        for _ in 0..<3 { #expect(try play.submit(Self.form("same")).status == 201) }
        #expect(play.server.formCount(domain: "demo") == 1)
    }

    @Test func `gives the cases of forms back`() throws {
        var play = Play(server: CommCareServer())
        _ = try play.submit(
            Self.form("1", Self.block("c1", Self.create + "<update><age>7 &amp; up</age></update>"))
        )
        let full = try play.restore("?items=true")
        #expect(full.status == 200)
        // Message, Sync, Registration, the groups that own cases, and the case.
        #expect(text(full).contains("items=\"5\""))
        #expect(text(full).contains("<username>u</username>"))
        #expect(text(full).contains("case_id=\"c1\""))
        #expect(text(full).contains("<age>7 &amp; up</age>"))
        #expect(text(full).contains("<owner_id>o</owner_id>"))
        _ = try play.submit(
            Self.form(
                "2",
                Self.block("c1", "<update><age>8</age></update>")
                    + Self.block(
                        "c2", Self.create + "<index><parent case_type=\"t\">c1</parent></index>")))
        let again = text(try play.restore())
        #expect(again.contains("<age>8</age>") && !again.contains("<age>7"))
        #expect(
            again.contains(
                "<index><parent case_type=\"t\" relationship=\"child\">c1</parent></index>"))
        _ = try play.submit(Self.form("3", Self.block("c1", "<close/>")))
        // Devices keep it, closed, for the sake of the case that refers to it.
        #expect(text(try play.restore()).contains("case_id=\"c1\""))
        _ = try play.submit(Self.form("4", Self.block("c2", "<close/>")))
        #expect(!text(try play.restore()).contains("<case "))
    }

    @Test func `continues from a restore it knows`() throws {
        var play = Play(server: CommCareServer())
        _ = try play.submit(Self.form("1", Self.block("c1", Self.create)))
        let first = text(try play.restore())
        let token = try #require(
            first.firstRange(of: "<restore_id>").map { String(first[$0.upperBound...].prefix(32)) })
        _ = try play.submit(Self.form("2", Self.block("c2", Self.create)))
        _ = try play.submit(Self.form("3", Self.block("c1", "<close/>")))
        let second = text(try play.restore("?since=\(token)"))
        #expect(second.contains("case_id=\"c2\""))
        #expect(second.contains("<close/>"))
        let unknown = try play.restore("?since=nonsense")
        #expect(unknown.status == 412)
        #expect(text(unknown).contains("ota_restore_error"))
        // Somebody else's token is not known either.
        #expect(try play.restore("?since=\(token)", user: "djpw").status == 412)
    }

    @Test func `has the client wait for a restore`() throws {
        var play = Play(server: CommCareServer(options: .init(restorePolls: 3, retryAfter: 7)))
        for done in 0..<3 {
            let answer = try play.restore()
            #expect(answer.status == 202)
            #expect(field(answer, "Retry-After") == "7")
            #expect(text(answer).contains("nature=\"ota_restore_pending\""))
            #expect(text(answer).contains("<progress done=\"\(done)\" total=\"3\""))
        }
        #expect(try play.restore().status == 200)
        #expect(try play.restore().status == 202)
    }

    @Test(arguments: [
        (block("", create), "IllegalCaseId"), (block("x", "<close/>"), "does not exist"),
        (block("x", "<create><case_name>n</case_name></create>"), "MissingCaseType"),
    ])
    func `refuses a bad case block as the version wants it`(cases: String, detail: String) throws {
        var play = Play(server: CommCareServer())
        let newer = try play.submit(Self.form("1", cases))
        #expect(newer.status == 422)
        #expect(text(newer).contains("processing_failure") && text(newer).contains(detail))
        let older = try play.submit(Self.form("1", cases), version: "2.0")
        #expect(older.status == 201)
        #expect(text(older).contains("submit_error"))
        #expect(play.server.formCount(domain: "demo") == 0)
    }

    @Test(arguments: [
        ("HEAD", "/a/demo/receiver/", 204), ("GET", "/a/demo/receiver/", 405),
        ("POST", "/a/demo/phone/restore/", 405), ("GET", "/a/demo/phone/restore/", 401),
        ("GET", "/formList", 200), ("GET", "/a/demo/formList", 200),
        ("GET", "/a/no%20domain/formList", 404), ("HEAD", "/submission", 204),
    ])
    func `answers on its paths`(method: String, target: String, status: Int) throws {
        var play = Play(server: CommCareServer())
        #expect(try play.ask(ServedRequest(method, target)).status == status)
    }

    @Test(arguments: ["/", "/a", "/a/demo", "/a/demo/other/", "/1/app/authorize/", ""])
    func `leaves other paths alone`(target: String) {
        var server = CommCareServer()
        var random = SplitMix64(seed: 1)
        #expect(server.answer(ServedRequest("GET", target), now: 0, random: &random) == nil)
    }

    @Test func `bounds its domains and its forms`() throws {
        var play = Play(server: CommCareServer())
        for number in 0..<CommCareServer.Limit.domains {
            #expect(try play.submit(Self.form("1"), domain: "d\(number)").status == 201)
        }
        #expect(try play.submit(Self.form("1"), domain: "other").status == 404)
        let large = String(repeating: " ", count: CommCareServer.Limit.form)
        #expect(try play.submit(Self.form("2") + large, domain: "d0").status == 413)
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `survives any damage to a form`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var bytes = Array(
            Self.form("1", Self.block("c", Self.create + "<update><a>b</a></update>")).utf8)
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            bytes[Int.random(in: bytes.indices, using: &random)] = .random(
                in: 0...255, using: &random)
        }
        var play = Play(server: CommCareServer())
        let answer = try play.ask(ServedRequest("POST", "/a/demo/receiver", body: bytes))
        #expect([201, 422].contains(answer.status))
        let restored = CommCareReader.read(try play.restore().body)
        #expect(restored.error == nil)
        #expect(restored.events.count { if case .caseBlock = $0 { true } else { false } } <= 1)
    }
}
