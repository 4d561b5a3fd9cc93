import OpenRosa
import Serving
import Testing

@testable import SyncServers

struct CommCareRefusalTests {
    static let basic = ("Authorization", "Basic dTpw")
    static let multipart = ("Content-Type", "multipart/form-data; boundary=b")

    static func part(_ disposition: String, _ content: String) -> String {
        "--b\r\nContent-Disposition: form-data; \(disposition)\r\nContent-Type: text/xml\r\n\r\n"
            + content + "\r\n"
    }

    static let file = "name=\"xml_submission_file\"; filename=\"f.xml\""

    struct Row: Sendable {
        var method = "POST"
        var target = "/a/demo/receiver/"
        var fields: [(String, String)] = []
        var body = ""
        var status: Int
        var detail = ""
    }

    static let rows: [Row] = [
        // Submissions.
        Row(status: 400, detail: "empty body"),
        Row(fields: [multipart], body: "nothing", status: 400, detail: "multipart"),
        Row(
            fields: [multipart], body: part("name=\"x.jpg\"; filename=\"x.jpg\"", "x") + "--b--",
            status: 400, detail: "xml_submission_file"),
        Row(
            fields: [multipart],
            body: part("name=\"xml_submission_file\"", "<a xmlns='b'/>")
                + "--b--", status: 400, detail: "xml_submission_file"),
        Row(
            fields: [multipart],
            body: part("name=\"xml_submission_file\"; filename=\"f.txt\"", "<a xmlns='b'/>")
                + "--b--", status: 422, detail: "processing_failure"),
        Row(
            fields: [multipart],
            body: part(file, "<a xmlns='b'/>") + part("name=\"*isIncomplete*\"", "yes") + "--b--",
            status: 400, detail: "POST.keys()"),
        Row(
            target: "/a/demo/receiver/submission", fields: [multipart],
            body: part(file, "<a xmlns='b'/>") + part("name=\"*isIncomplete*\"", "yes") + "--b--",
            status: 201, detail: "submit_success"),
        Row(
            fields: [multipart],
            body: part(file, "<a xmlns='b'/>") + part("name=\"x.exe\"; filename=\"x.exe\"", "x")
                + "--b--", status: 422, detail: "x.exe"),
        Row(body: "<a", status: 422, detail: "processing_failure"),
        Row(body: "<a/>", status: 422, detail: "XMLNS"),
        Row(
            target: "/a/demo/receiver/?authtype=magic", body: "<a xmlns='b'/>", status: 400,
            detail: "authtype"),
        Row(
            target: "/a/demo/receiver/?submit_mode=demo&authtype=noauth", body: "<a xmlns='b'/>",
            status: 201, detail: "ignored"),
        Row(fields: [("Content-Encoding", "magic")], body: "x", status: 415, detail: "magic"),
        Row(fields: [("Content-Encoding", "gzip")], body: "x", status: 400, detail: "decompressed"),
        Row(fields: [("Authorization", "Basic !")], body: "<a xmlns='b'/>", status: 401),
        Row(fields: [("Authorization", "Basic dTo=")], body: "<a xmlns='b'/>", status: 401),
        Row(method: "PUT", body: "x", status: 405),
        Row(method: "HEAD", status: 204),
        Row(method: "HEAD", target: "/submission", status: 204),
        // Restores.
        Row(method: "GET", target: "/a/demo/phone/restore/", status: 401),
        Row(method: "GET", target: "/a/demo/phone/restore", fields: [basic], status: 200),
        Row(method: "GET", target: "/a/demo/phone/restore/app1/", fields: [basic], status: 200),
        Row(method: "POST", target: "/a/demo/phone/restore/", fields: [basic], status: 405),
        Row(
            method: "GET", target: "/a/demo/phone/restore/?version=9", fields: [basic], status: 412,
            detail: "ota_restore_error"),
        Row(
            method: "GET", target: "/a/demo/phone/restore/?since=x", fields: [basic], status: 412,
            detail: "ota_restore_error"),
        Row(
            method: "GET", target: "/a/demo/phone/restore/?user_id=somebody", fields: [basic],
            status: 412, detail: "user_id"),
        Row(
            method: "GET", target: "/a/demo/phone/restore/?user_id=u", fields: [basic], status: 200),
        // The rest.
        Row(
            method: "GET", target: "/a/demo/phone/heartbeat/b1/?app_id=app1&cc_version=2.53",
            fields: [basic], status: 200, detail: "\"app_id\":\"app1\""),
        Row(method: "GET", target: "/a/demo/phone/heartbeat/b1/", status: 401),
        Row(method: "GET", target: "/a/demo/phone/search/", fields: [basic], status: 400),
        Row(
            method: "GET", target: "/a/demo/phone/search/?case_type=t", fields: [basic],
            status: 200,
            detail: "<results id=\"case\"></results>"),
        Row(method: "GET", target: "/a/demo/formList", status: 200, detail: "xformsList"),
        Row(method: "GET", target: "/a/demo/xformsManifest", status: 200, detail: "xformsManifest"),
        Row(method: "POST", target: "/formList", status: 405),
    ]

    @Test(arguments: rows.indices)
    func `answers as CommCare does`(place: Int) {
        let row = Self.rows[place]
        var play = CommCarePlay()
        let answer = play.ask(row.method, row.target, row.fields, body: Array(row.body.utf8))
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(answer.status == row.status, "\(row): \(text)")
        #expect(row.detail.isEmpty || text.contains(row.detail), "\(row): \(text)")
        func field(_ name: String) -> String? { answer.fields.first { $0.name == name }?.value }
        #expect(field("Date") != nil && field("X-OpenRosa-Version") != nil)
        #expect(field("X-OpenRosa-Accept-Content-Length") != nil)
        if row.status == 401 { #expect(field("WWW-Authenticate")?.hasPrefix("Basic ") == true) }
    }

    @Test(arguments: [
        ("<index><p case_type=\"t\">z</p></index>", "InvalidCaseIndex"),
        ("<index><p case_type=\"t\">a</p></index>", "InvalidCaseIndex"),
        ("<index><p case_type=\"t\" relationship=\"\">b</p></index>", "InvalidCaseIndex"),
        ("<index><p case_type=\"t\">b</p></index>", "by way of others"),
    ])
    func `refuses an index that leads nowhere`(index: String, detail: String) {
        var play = CommCarePlay()
        var device = CommCareDevice(user: "u")
        let cases =
            CommCareSyncTests.block("a", owner: "o")
            + CommCareSyncTests.block("b", owner: "o", CommCareSyncTests.index("a"))
        #expect(device.submit("1", cases, to: &play) == 201)
        let form = CommCareServerTests.form("2", CommCareServerTests.block("a", index))
        let answer = play.ask(
            "POST", "/a/demo/receiver/", [("X-OpenRosa-Version", "3.0")], body: Array(form.utf8))
        #expect(answer.status == 422)
        #expect(String(decoding: answer.body, as: UTF8.self).contains(detail))
        #expect(play.server.formCount(domain: "demo") == 1)
    }

    @Test func `asks those in the file who they are`() throws {
        var play = CommCarePlay(accounts: try Accounts(yaml: CommCareSyncTests.accounts))
        let form = Array("<a xmlns='b'/>".utf8)
        func status(_ user: String, domain: String = "demo") -> ServedAnswer {
            play.ask(
                "POST", "/a/\(domain)/receiver/",
                [("Authorization", "Basic " + CommCareDevice.base64(Array(user.utf8)))], body: form)
        }
        #expect(play.ask("POST", "/a/demo/receiver/", body: form).status == 401)
        #expect(status("ada:wrong").status == 401)
        #expect(status("zoe:p").status == 401)
        #expect(status("ada:p", domain: "other").status == 401)
        #expect(status("ada:p").status == 201)
        #expect(status("ada@demo:p").status == 201)
        #expect(status("ada@demo.commcarehq.org:p").status == 201)
        let inactive = status("eve:p")
        #expect(inactive.status == 406)
        let message = try ActionableMessage(parsing: inactive.body.span)
        #expect(message.error == "user.deactivated")
    }

    @Test func `stores a form with the same instanceID and other bytes as an edit`() {
        var play = CommCarePlay()
        func send(_ text: String) -> Int {
            play.ask(
                "POST", "/a/demo/receiver/",
                body: Array("<a xmlns='b'>\(text)<meta><instanceID>i</instanceID></meta></a>".utf8)
            ).status
        }
        for text in ["x", "x", "y", "y"] { #expect(send(text) == 201) }
        #expect(play.server.formCount(domain: "demo") == 2)
        #expect(play.server.domains["demo"]?.forms.values.first?.edits == 1)
    }

    @Test func `compresses where it is asked to, and understands it`() throws {
        var play = CommCarePlay()
        let cases = (0..<50).map { CommCareSyncTests.block("c\($0)", owner: "o") }.joined()
        let form = Array(CommCareServerTests.form("1", cases).utf8)
        let packed = try #require(Gzip.encode(form))
        #expect(packed.count < form.count)
        #expect(try Gzip.decode(packed, "gzip", most: form.count) == form)
        #expect(try Gzip.decode(packed, "gzip", most: 100) == nil)
        #expect(
            play.ask(
                "POST", "/a/demo/receiver/", [("Content-Encoding", "gzip")], body: packed
            ).status == 201)
        let plain = play.ask("GET", "/a/demo/phone/restore/", [Self.basic])
        let answer = play.ask(
            "GET", "/a/demo/phone/restore/", [Self.basic, ("Accept-Encoding", "deflate, gzip")])
        #expect(answer.fields.contains(.init("Content-Encoding", "gzip")))
        let unpacked = try #require(try Gzip.decode(answer.body, "gzip", most: 1 << 20))
        #expect(unpacked.count == plain.body.count)
        #expect(CommCareReader.read(unpacked).error == nil)
    }

    @Test(
        arguments: [
            (nil, false), ("", false), ("gzip", true), ("br, GZIP;q=0.5", true),
            ("gzip;q=0", false),
            ("*", true), ("*;q=0.0", false), ("identity", false), ("gzip; q=0.000, *", false),
        ] as [(String?, Bool)])
    func `knows who takes gzip`(field: String?, takes: Bool) {
        #expect(Gzip.isAccepted(field) == takes)
    }

    @Test func `sums as gzip does`() {
        // The check value of CRC-32.
        #expect(Gzip.checksum(Array("123456789".utf8)) == 0xCBF4_3926)
        for count in [0, 1, 8191, 70_000] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let packed = Gzip.encode(bytes) ?? []
            #expect((try? Gzip.decode(packed, "gzip", most: 1 << 20)) == bytes)
        }
    }
}
