import Notation
import OpenRosa
import Serving
import Storage
import Testing

@testable import SyncServers

struct CommCareStoreTests {
    @Test func `goes on after a restart where it was`() throws {
        // Read, write and create, in memory.
        let connection = try Connection(path: ":memory:", flags: 6)
        let store = try CommCareStore(connection)
        var play = CommCarePlay()
        var (a, b) = (CommCareDevice(user: "u"), CommCareDevice(user: "u"))
        func restart() throws {
            try store.write(play.server.takeRecords())
            var server = CommCareServer()
            try store.load(into: &server, now: play.now)
            play.server = server
        }
        #expect(a.sync(with: &play).statuses == [200])
        #expect(b.sync(with: &play).statuses == [200])
        for round in 0..<5 {
            let more =
                "<update><a>&lt;\(round)&gt;</a><external_id>x</external_id></update>"
                + (round > 0 ? CommCareSyncTests.index("c\(round - 1)") : "")
            let block = CommCareSyncTests.block("c\(round)", owner: "o", more)
            #expect(a.submit("f\(round)", block, to: &play) == 201)
            try restart()
            #expect(
                b.submit("g\(round)", CommCareSyncTests.block("d\(round)", owner: "o"), to: &play)
                    == 201)
            try restart()
            // The server knows what each has: its forms came with its token.
            #expect(a.sync(with: &play).statuses == [200])
            try restart()
            #expect(b.sync(with: &play).statuses == [200])
            #expect(a.sync(with: &play).statuses == [200])
        }
        let ledger =
            "<balance xmlns=\"http://commcarehq.org/ledger/v1\" entity-id=\"c1\" "
            + "date=\"2026-01-01\" section-id=\"s\"><entry id=\"e\" quantity=\"7\"/></balance>"
        #expect(a.submit("l", ledger, to: &play) == 201)
        let before = play.server.formCount(domain: "demo")
        let set = play.server.domains["demo"]?.set
        try restart()
        #expect(play.server.domains["demo"]?.set == set)
        #expect(play.server.formCount(domain: "demo") == before)
        // Sent again, it is known; with other bytes, it is an edit.
        #expect(a.submit("l", ledger, to: &play) == 201)
        #expect(play.server.formCount(domain: "demo") == before)
        #expect(b.sync(with: &play).statuses == [200])
        #expect(b.set.ledgers["c1", "s", "e"] == 7)
        #expect(b.set.cases.count == 10)
        #expect(b.set["c3"]?[property: "a"] == "<3>")
    }

    @Test(arguments: [
        ("UPDATE commcare_case SET state = '{'", "state of the row of commcare_case with id c1"),
        ("UPDATE commcare_case SET state = '[]'", "state of the row of commcare_case with id c1"),
        ("UPDATE commcare_restore SET basis = 'x'", "basis of the row of commcare_restore"),
        (#"UPDATE commcare_restore SET basis = '{"cases":[1]}'"#, "basis of the row of"),
        (
            "UPDATE commcare_form SET body = x'3C'",
            "body of the row of commcare_form with number 1 cannot be read"
        ),
    ])
    func `a row that cannot be read is named, not passed over`(
        damage: String, message: String
    ) throws {
        let connection = try Connection(path: ":memory:", flags: 6)
        let store = try CommCareStore(connection)
        var play = CommCarePlay()
        var device = CommCareDevice(user: "u")
        #expect(device.sync(with: &play).statuses == [200])
        let block = CommCareSyncTests.block("c1", owner: "o")
        #expect(device.submit("f1", block, to: &play) == 201)
        try store.write(play.server.takeRecords())
        var server = CommCareServer()
        try store.load(into: &server, now: play.now)
        try connection.execute(damage)
        var damaged = CommCareServer()
        let fault = #expect(throws: StorageFault.self) {
            try store.load(into: &damaged, now: play.now)
        }
        #expect(fault?.message.contains(message) == true, "\(fault?.message ?? "none")")
    }

    @Test func `keeps forms and files as they came`() throws {
        let connection = try Connection(path: ":memory:", flags: 6)
        var server = try KeptCommCareServer(CommCareServer(), connection, now: 0)
        var random = SplitMix64(seed: 1)
        let body =
            "--b\r\nContent-Disposition: form-data; name=\"xml_submission_file\"; "
            + "filename=\"f.xml\"\r\nContent-Type: text/xml\r\n\r\n<a xmlns='b'>x.jpg</a>\r\n"
            + "--b\r\nContent-Disposition: form-data; name=\"x.jpg\"; filename=\"x.jpg\"\r\n"
            + "Content-Type: image/jpeg\r\n\r\nJPG\r\n--b--"
        let answer = server.answer(
            ServedRequest(
                "POST", "/a/d/receiver/",
                fields: [.init("Content-Type", "multipart/form-data; boundary=b")],
                body: Array(body.utf8)), now: 5, random: &random)
        #expect(answer?.status == 201)
        #expect(
            try connection.text("SELECT CAST(body AS TEXT) FROM commcare_form")
                == "<a xmlns='b'>x.jpg</a>")
        #expect(
            try connection.text(
                "SELECT name || type || CAST(body AS TEXT) FROM commcare_attachment")
                == "x.jpgimage/jpegJPG")
    }

    @Test func `does not thank for what it cannot keep`() throws {
        let connection = try Connection(path: ":memory:", flags: 6)
        var server = try KeptCommCareServer(CommCareServer(), connection, now: 0)
        var random = SplitMix64(seed: 1)
        func send(_ id: String) -> Int? {
            server.answer(
                ServedRequest(
                    "POST", "/a/d/receiver/",
                    body: Array(
                        CommCareServerTests.form(id, CommCareSyncTests.block(id, owner: "o")).utf8)),
                now: 5, random: &random)?.status
        }
        func cases() -> Int {
            let answer = server.answer(
                ServedRequest(
                    "GET", "/a/d/phone/restore/", fields: [.init("Authorization", "Basic dTpw")]),
                now: 5, random: &random)
            return CommCareReader.read(answer?.body ?? []).events
                .count { if case .caseBlock = $0 { true } else { false } }
        }
        #expect(send("1") == 201)
        #expect(cases() == 1)
        try connection.execute("PRAGMA query_only = 1")
        #expect(send("2") == 503)
        #expect(server.fault != nil)
        try connection.execute("PRAGMA query_only = 0")
        // Nothing of the refused form is left, and it can be sent again.
        #expect(cases() == 1)
        #expect(server.fault == nil)
        #expect(send("2") == 201)
        #expect(cases() == 2)
    }
}
