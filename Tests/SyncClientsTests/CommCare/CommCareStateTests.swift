import OpenRosa
import Platform
import Storage
import Testing
import Wire

@testable import SyncClients

#if canImport(Glibc)
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

    static func form(_ id: String, caseID: String) throws -> CommCareForm {
        let xml = """
            <data xmlns="http://example.org/f"><case xmlns="http://commcarehq.org/case/transaction/v2" \
            case_id="\(caseID)" date_modified="2026-01-01T00:00:00Z" user_id="u"><create>\
            <case_type>t</case_type><case_name>n</case_name><owner_id>u</owner_id></create></case>\
            <meta xmlns="http://openrosa.org/jr/xforms"><instanceID>\(id)</instanceID></meta></data>
            """
        let photo = folder() + "/a.jpg"
        try write("123", to: photo)
        return try CommCareForm(
            xml: Array(xml.utf8), filename: "f.xml",
            attachments: [.init(name: "a.jpg", path: photo)])
    }

    static func restore(_ token: String, cases: [String]) -> String {
        let blocks = cases.map {
            "<case xmlns=\"http://commcarehq.org/case/transaction/v2\" case_id=\"\($0)\" "
                + "date_modified=\"2026-01-01T00:00:00Z\" user_id=\"u\"><create><case_type>t"
                + "</case_type><case_name>n</case_name><owner_id>u</owner_id></create></case>"
        }.joined()
        return envelope(token, blocks)
    }

    static func envelope(_ token: String, _ content: String) -> String {
        "<OpenRosaResponse xmlns=\"http://openrosa.org/http/response\">"
            + "<message nature=\"ota_restore_success\">ok</message>"
            + "<Sync xmlns=\"http://commcarehq.org/sync\"><restore_id>\(token)</restore_id></Sync>"
            + content + "</OpenRosaResponse>"
    }

    static func write(_ text: String, to path: String) throws {
        let file = try #require(fopen(path, "w"))
        defer { fclose(file) }
        #expect(fputs(text, file) >= 0)
    }

    static func open(_ folder: String) throws -> CommCareState {
        try CommCareState(folder: folder, place: "p", deviceID: "d")
    }

    static func read(_ path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// How many files with a submission are in a folder.
    static func submissions(_ folder: String) -> Int {
        LocalFile.names(in: folder).count { $0.hasPrefix("submission-") }
    }

    @Test func `keeps a form until its answer is stored, under one instanceID`() throws {
        let folder = Self.folder()
        let form = try Self.form("i1", caseID: "c1")
        do { #expect(try Self.open(folder).add(form) == .queued) }
        do {
            let state = try Self.open(folder)
            let entry = try #require(try state.entries().first)
            #expect(entry.state == .queued)
            #expect(try state.xml(entry.id) == form.xml)
            let prepared = try #require(try state.prepared(entry.id))
            let body = Self.read(prepared.path)
            #expect(body.contains(String(decoding: form.xml, as: UTF8.self)))
            #expect(body.contains("filename=\"a.jpg\"\r\nContent-Type: image/jpeg\r\n"))
            #expect(body.contains("Content-Length: 3\r\n\r\n123\r\n--"))
            #expect(body.hasSuffix("--\r\n"))
            #expect(try state.add(form) == .queued)
            #expect(try state.entries().count == 1)
            #expect(Self.submissions(folder) == 1)
            try state.store(entry.id, .sent, attempts: 0, message: "")
        }
        let state = try Self.open(folder)
        #expect(try state.entries().map(\.state) == [.sent])
        #expect(try state.add(form) == .sent)
        #expect(Self.submissions(folder) == 0)
    }

    @Test func `never queues again what was put aside`() throws {
        let state = try Self.open(Self.folder())
        let form = try Self.form("i1", caseID: "c1")
        _ = try state.add(form)
        #expect(try state.caseIDs() == ["c1"])
        try state.store(1, .aside, attempts: 0, message: "broken")
        #expect(throws: CommCareClientError.self) { try state.add(form) }
        #expect(try state.caseIDs().isEmpty)
        #expect(try state.stateToSend()?.description == "ccsh:")
    }

    @Test func `takes other attachments for a form that was held`() throws {
        let folder = Self.folder()
        let state = try Self.open(folder)
        var form = try Self.form("i1", caseID: "c1")
        _ = try state.add(form)
        try state.store(1, .held, attempts: 0, message: "too large")
        form.attachments = [.init(name: "b.png", path: form.attachments[0].path)]
        #expect(try state.add(form) == .queued)
        let prepared = try #require(try state.prepared(1))
        #expect(Self.read(prepared.path).contains("name=\"b.png\""))
        #expect(Self.submissions(folder) == 1)
    }

    @Test func `swaps a full restore in whole, and keeps unsent forms`() throws {
        let folder = Self.folder()
        let state = try Self.open(folder)
        try Self.write(Self.restore("t1", cases: ["a", "b"]), to: state.download)
        #expect(try state.swapIn(isFull: true) == nil)
        #expect(access(state.download, F_OK) != 0)
        _ = try state.add(try Self.form("i1", caseID: "mine"))
        _ = try state.add(try Self.form("i2", caseID: "sent"))
        try state.store(2, .sent, attempts: 0, message: "")
        #expect(try state.caseIDs() == ["a", "b", "mine", "sent"])
        #expect(try state.stateToSend() == CaseStateHash(caseIDs: ["a", "b", "sent"]))

        let cut = String(Self.restore("t2", cases: ["x"]).dropLast(5))
        try Self.write(cut, to: state.download)
        #expect(try state.swapIn(isFull: true) != nil)
        #expect(try state.fact("token") == "t1")
        #expect(try state.caseIDs().count == 4)

        try Self.write(Self.restore("t2", cases: ["x"]), to: state.download)
        #expect(try state.swapIn(isFull: true) == nil)
        try Self.write(Self.restore("t3", cases: ["y"]), to: state.download)
        #expect(try state.swapIn(isFull: false) == nil)
        #expect(try state.fact("token") == "t3")
        #expect(try state.caseIDs() == ["mine", "x", "y"])
    }

    @Test func `moved to another device, it keeps forms and cases and asks for everything`() throws
    {
        let state = try Self.open(Self.folder())
        try Self.write(Self.restore("t1", cases: ["a"]), to: state.download)
        #expect(try state.swapIn(isFull: true) == nil)
        _ = try state.add(try Self.form("i1", caseID: "mine"))
        try state.move(to: "e")
        #expect(try state.fact("device") == "e")
        #expect(try state.fact("token") == nil)
        #expect(try state.needsFullRestore())
        #expect(try state.caseIDs() == ["a", "mine"])
    }

    @Test func `knows how many days ago the last restore came`() throws {
        let state = try Self.open(Self.folder())
        #expect(try state.daysSinceSync(at: 1 << 40) == nil)
        try Self.write(Self.restore("t1", cases: []), to: state.download)
        #expect(try state.swapIn(isFull: true, at: 1_000) == nil)
        #expect(try state.daysSinceSync(at: 1_000 + 86_399) == 0)
        #expect(try state.daysSinceSync(at: 1_000 + 64 * 86_400) == 64)
        #expect(try state.daysSinceSync(at: 999) == nil)
        // What is not whole is no restore.
        try Self.write("<", to: state.download)
        #expect(try state.swapIn(isFull: false, at: 2 << 30) != nil)
        #expect(try state.daysSinceSync(at: 1_000) == 0)
    }

    @Test func `only the demo user changes cases without signing in`() throws {
        var form = try Self.form("i1", caseID: "c1")
        #expect(throws: Never.self) { try form.requireDemonstration() }
        form.userID = "u"
        #expect(throws: CommCareClientError.self) { try form.requireDemonstration() }
        form.userID = "demo_user"
        #expect(throws: Never.self) { try form.requireDemonstration() }
        form.userID = "u"
        form.changesCases = false
        #expect(throws: Never.self) { try form.requireDemonstration() }
    }

    @Test func `forgets what no transaction names`() throws {
        let folder = Self.folder()
        do {
            let state = try Self.open(folder)
            _ = try state.add(try Self.form("i1", caseID: "c1"))
            // As kills within a download and while a form is written leave it.
            try Self.write("<cut", to: state.download)
            try Self.write("cut", to: folder + "/submission-1")
        }
        let state = try Self.open(folder)
        #expect(access(state.download, F_OK) != 0)
        #expect(Self.submissions(folder) == 1)
        let prepared = try #require(try state.prepared(1))
        #expect(access(prepared.path, R_OK) == 0)
    }

    @Test func `asks for everything until everything is there`() throws {
        let folder = Self.folder()
        do {
            let state = try Self.open(folder)
            #expect(try state.needsFullRestore())
            try Self.write(Self.restore("t1", cases: ["a"]), to: state.download)
            #expect(try state.swapIn(isFull: true) == nil)
            #expect(try !state.needsFullRestore())
            try state.storeRecovery()
        }
        let state = try Self.open(folder)
        #expect(try state.needsFullRestore())
        #expect(try state.fact("token") == "t1")
        try Self.write(Self.restore("t2", cases: ["a"]), to: state.download)
        #expect(try state.swapIn(isFull: true) == nil)
        #expect(try !state.needsFullRestore())
    }

    @Test func `refuses a restore without a token, or with a case that is not there`() throws {
        let state = try Self.open(Self.folder())
        let update = Self.envelope(
            "t2",
            "<case xmlns=\"http://commcarehq.org/case/transaction/v2\" case_id=\"a\" "
                + "date_modified=\"2026-01-01T00:00:00Z\"><update><x>1</x></update></case>")
        for text in [Self.restore("", cases: ["a"]), update] {
            try Self.write(text, to: state.download)
            #expect(try state.swapIn(isFull: false) != nil)
            #expect(try state.caseIDs().isEmpty)
        }
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

    @Test(arguments: [
        (
            1,
            "the state cannot be used: it is of a development version that was never released: "
                + "send its forms with that version, or name another folder"
        ),
        (3, "the state cannot be used: it is of a newer version"),
    ])
    func `refuses a state of another version`(version: Int, reason: String) throws {
        let folder = Self.folder()
        do {
            let state = try Self.open(folder)
            #expect(try state.add(try Self.form("i1", caseID: "c1")) == .queued)
            try state.connection.execute("PRAGMA user_version = \(version)")
        }
        #expect(throws: CommCareClientError.wrongState(reason)) { try Self.open(folder) }
        #expect(Self.submissions(folder) == 1)
    }

    @Test(
        arguments: [
            "", "<a", "<data/>", "<data xmlns='f'/>",
            "<data><meta><instanceID>1</instanceID></meta></data>",
        ])
    func `refuses what is no form with an instanceID`(text: String) {
        #expect(throws: CommCareClientError.self) {
            try CommCareForm(xml: Array(text.utf8), filename: "f")
        }
    }
}
