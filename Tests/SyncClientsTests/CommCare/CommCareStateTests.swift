import OpenRosa
import SyncClients
import Testing
import Wire

#if canImport(Glibc)
import Glibc
#endif

@Suite struct CommCareStateTests {
    static func folder() -> String {
        let place = getenv("TMPDIR").map { String(cString: $0) } ?? P_tmpdir
        var name = Array("\(place)/commcare-XXXXXX".utf8CString)
        return name.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress, let made = mkdtemp(start) else { return "" }
            return String(cString: made)
        }
    }

    static func form(_ id: String, caseID: String) throws -> CommCareState.Form {
        let xml = """
            <data xmlns="http://example.org/f"><case xmlns="http://commcarehq.org/case/transaction/v2" \
            case_id="\(caseID)" date_modified="2026-01-01T00:00:00Z" user_id="u"><create>\
            <case_type>t</case_type><case_name>n</case_name><owner_id>u</owner_id></create></case>\
            <meta xmlns="http://openrosa.org/jr/xforms"><instanceID>\(id)</instanceID></meta></data>
            """
        return try CommCareState.Form(
            xml: Array(xml.utf8), filename: "f.xml", files: [(name: "a.jpg", content: [1, 2, 3])])
    }

    static func restore(_ token: String, cases: [String]) -> String {
        let blocks = cases.map {
            "<case xmlns=\"http://commcarehq.org/case/transaction/v2\" case_id=\"\($0)\" "
                + "date_modified=\"2026-01-01T00:00:00Z\" user_id=\"u\"><create><case_type>t"
                + "</case_type><case_name>n</case_name><owner_id>u</owner_id></create></case>"
        }.joined()
        return "<OpenRosaResponse xmlns=\"http://openrosa.org/http/response\">"
            + "<message nature=\"ota_restore_success\">ok</message>"
            + "<Sync xmlns=\"http://commcarehq.org/sync\"><restore_id>\(token)</restore_id></Sync>"
            + blocks + "</OpenRosaResponse>"
    }

    static func write(_ text: String, to path: String) throws {
        let file = try #require(fopen(path, "w"))
        defer { fclose(file) }
        #expect(fputs(text, file) >= 0)
    }

    static func open(_ folder: String) throws -> CommCareState {
        try CommCareState(folder: folder, place: "p", deviceID: "d")
    }

    @Test func `keeps a form until its answer is stored, under one instanceID`() throws {
        let folder = Self.folder()
        let form = try Self.form("i1", caseID: "c1")
        do { #expect(try Self.open(folder).add(form) == .queued) }
        do {
            let state = try Self.open(folder)
            let entry = try #require(try state.entries().first)
            #expect(entry.state == .queued)
            let kept = try #require(try state.form(entry.id))
            #expect(kept.xml == form.xml)
            #expect(kept.files.map(\.content) == [[1, 2, 3]])
            #expect(try state.add(form) == .queued)
            #expect(try state.entries().count == 1)
            try state.store(entry.id, .sent, attempts: 0, message: "")
        }
        let state = try Self.open(folder)
        #expect(try state.entries().map(\.state) == [.sent])
        #expect(try state.add(form) == .sent)
    }

    @Test func `never queues again what was put aside`() throws {
        let state = try Self.open(Self.folder())
        let form = try Self.form("i1", caseID: "c1")
        _ = try state.add(form)
        try state.store(1, .aside, attempts: 0, message: "broken")
        #expect(throws: CommCareClientError.self) { try state.add(form) }
        #expect(try state.caseSet().cases.isEmpty)
    }

    @Test func `swaps a full restore in whole, and keeps unsent forms`() throws {
        let folder = Self.folder()
        let state = try Self.open(folder)
        try Self.write(Self.restore("t1", cases: ["a", "b"]), to: state.download)
        #expect(try state.swapIn(isFull: true) == nil)
        _ = try state.add(try Self.form("i1", caseID: "mine"))
        _ = try state.add(try Self.form("i2", caseID: "sent"))
        try state.store(2, .sent, attempts: 0, message: "")
        #expect(
            try state.caseSet().cases.keys.map(\.string).sorted() == ["a", "b", "mine", "sent"])

        let cut = String(Self.restore("t2", cases: ["x"]).dropLast(5))
        try Self.write(cut, to: state.download)
        #expect(try state.swapIn(isFull: true) != nil)
        #expect(try state.fact("token") == "t1")
        #expect(try state.caseSet().cases.count == 4)

        try Self.write(Self.restore("t2", cases: ["x"]), to: state.download)
        #expect(try state.swapIn(isFull: true) == nil)
        try Self.write(Self.restore("t3", cases: ["y"]), to: state.download)
        #expect(try state.swapIn(isFull: false) == nil)
        #expect(try state.fact("token") == "t3")
        #expect(try state.caseSet().cases.keys.map(\.string).sorted() == ["mine", "x", "y"])
    }

    @Test func `forgets a restore that no transaction names`() throws {
        let folder = Self.folder()
        do {
            let state = try Self.open(folder)
            try Self.write(Self.restore("t1", cases: ["a"]), to: state.download)
            #expect(try state.swapIn(isFull: true) == nil)
            // As a kill between the rename and the transaction leaves it.
            try Self.write(Self.restore("t9", cases: ["z"]), to: folder + "/restore-2")
        }
        let state = try Self.open(folder)
        #expect(access(folder + "/restore-2", F_OK) != 0)
        #expect(try state.fact("token") == "t1")
        #expect(try state.caseSet().cases.keys.map(\.string) == ["a"])
    }

    @Test func `keeps pauses, and refuses another user`() throws {
        let folder = Self.folder()
        do {
            try Self.open(folder).store(
                .restore, CommCarePause(userUntil: 1, automaticUntil: 2, failures: 3))
        }
        #expect(
            try Self.open(folder).pauses() == [
                .restore: CommCarePause(userUntil: 1, automaticUntil: 2, failures: 3)
            ])
        #expect(throws: CommCareClientError.self) {
            try CommCareState(folder: folder, place: "q", deviceID: "d")
        }
    }

    @Test(arguments: ["", "<a", "<data/>"])
    func `refuses what is no form with an instanceID`(text: String) {
        #expect(throws: CommCareClientError.self) {
            try CommCareState.Form(xml: Array(text.utf8), filename: "f", files: [])
        }
    }
}
