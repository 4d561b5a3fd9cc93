import Foundation
import Notation
import Simperium
import Storage
import Testing
import Wire

@testable import SyncServers

struct SimperiumStoreTests {
    /// A server, its file, and what it takes to start again.
    final class Kept {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            UUID().uuidString)
        let accounts: Accounts
        var server: SimperiumServer
        var store: SimperiumStore?
        var file: ServerState?
        var random: SplitMix64

        init(_ accounts: Accounts = .open, seed: UInt64 = 1) throws {
            self.accounts = accounts
            random = SplitMix64(seed: seed)
            server = SimperiumServer(accounts: accounts)
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true)
            try start()
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        func start() throws {
            store = nil
            file = nil
            let file = try ServerState(path: folder.appendingPathComponent("state").path)
            self.file = file
            let store = try SimperiumStore(try file.connect())
            self.store = store
            server = SimperiumServer(accounts: accounts)
            server.seed(&random)
            try store.load(into: &server)
        }

        /// Opens a bucket on channel 0 of connection 1.
        func join(_ bucket: String = "b") throws {
            server.close(1)
            server.open(1, app: "app")
            _ = try say(
                "0:init:{\"clientid\":\"c\",\"api\":\"1.1\",\"name\":\"\(bucket)\",\"library\":\"x\","
                    + "\"version\":\"1\",\"token\":\"0123456789abcdef0123456789abcdef\"}")
        }

        /// Sends a message, and writes what came of it.
        @discardableResult
        func say(_ text: String) throws -> [String] {
            let replies = server.receive(Array(text.utf8), from: 1, random: &random).map(\.text)
            try store?.write(server.records, of: server)
            server.records = []
            return replies
        }
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `answers everything alike after a restart`(seed: UInt64) throws {
        let yaml = """
            apps:
              - id: app
                buckets:
                  - name: b
                    versions: 4
                    tenth-versions: 2
                    log: 20
            """
        let kept = try Kept(try Accounts(yaml: yaml), seed: seed)
        try kept.join()
        var cvs: [String] = []
        for number in 0..<250 {
            let key = "k\(Int.random(in: 0..<6, using: &kept.random))"
            let change =
                switch Int.random(in: 0..<40, using: &kept.random) {
                case 0..<3: #"{"id":"\#(key)","o":"-","ccid":"\#(number)"}"#
                case 3: #"{"id":"b","o":"EMPTY","ccid":"\#(number)"}"#
                default: #"{"id":"\#(key)","o":"M","d":{"n":\#(number)},"ccid":"\#(number)"}"#
                }
            let reply = try #require(try kept.say("0:c:\(change)").first)
            if let cv = try JSONValue(parsing: String(reply.dropFirst(4))).first?["cv"]?.string {
                cvs.append(cv)
            }
        }
        #expect(cvs.count > 100)
        let bucket = try #require(kept.server.model.buckets.first)
        var questions = ["0:i:1:::100", "0:cv:nothing"] + cvs.map { "0:cv:\($0)" }
        for key in 0..<6 { for number in 1...100 { questions.append("0:e:k\(key).\(number)") } }
        for number in 0..<250 {
            // Known again, or refused for another reason: never made again.
            questions.append(#"0:c:{"id":"none","o":"-","ccid":"\#(number)"}"#)
        }
        let before = try questions.map { try kept.say($0) }
        try kept.start()
        try kept.join()
        #expect(try questions.map { try kept.say($0) } == before)
        #expect(kept.server.model.buckets[bucket.key]?.contents == bucket.value.contents)
        // Once more, after changes that go on from what was loaded.
        let reply = try #require(
            try kept.say(#"0:c:{"id":"k0","o":"M","d":{"n":-1},"ccid":"new"}"#).first)
        #expect(reply.contains("\"ev\":"))
        let after = try kept.say("0:i:1:::100")
        try kept.start()
        try kept.join()
        #expect(try kept.say("0:i:1:::100") == after)
    }

    @Test func `writes nothing for what was only read or refused`() throws {
        let kept = try Kept()
        try kept.join()
        let writes = try #require(kept.store).connection
        let before = try writes.integer("SELECT total_changes()")
        try kept.say("0:i::::10")
        try kept.say("0:cv:x")
        try kept.say(#"0:c:{"id":"a","o":"-","ccid":"1"}"#)
        #expect(try writes.integer("SELECT total_changes()") == before)
        try kept.say(#"0:c:{"id":"a","o":"M","d":{},"ccid":"1"}"#)
        // The object, its version and a line of the log.
        #expect(try writes.integer("SELECT total_changes()") == before + 3)
    }

    @Test(arguments: [
        ("UPDATE simperium_version SET data = '{'", "data of the row of simperium_version"),
        (
            "UPDATE simperium_log SET change = x'78' WHERE change IS NOT NULL",
            "change of the row of simperium_log with bucket_id 1 and position"
        ),
    ])
    func `a row that cannot be read is named, not passed over`(
        damage: String, message: String
    ) throws {
        let kept = try Kept()
        try kept.join()
        try kept.say(#"0:c:{"id":"a","o":"M","d":{},"ccid":"1"}"#)
        try #require(kept.store).connection.execute(damage)
        let fault = #expect(throws: StorageFault.self) { try kept.start() }
        #expect(fault?.message.contains(message) == true, "\(fault?.message ?? "none")")
    }

    @Test func `keeps buckets that are empty at their change version`() throws {
        let kept = try Kept()
        try kept.join()
        let before = try kept.say("0:i::::10")
        try kept.start()
        try kept.join()
        #expect(try kept.say("0:i::::10") == before)
    }

    @Test func `keeps the file from a second server`() throws {
        let kept = try Kept()
        let path = kept.folder.appendingPathComponent("state").path
        #expect(throws: SyncServerError(.stateInUse, "")) { try ServerState(path: path) }
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test func `refuses a file of another version`() throws {
        let kept = try Kept()
        let path = kept.folder.appendingPathComponent("later").path
        do {
            let connection = try ServerState(path: path).connect()
            try connection.execute("CREATE TABLE t (a); PRAGMA user_version = 2")
        }
        let error = try #require(throws: SyncServerError.self) { try ServerState(path: path) }
        #expect(error.code == .badState)
        #expect(error.reason.hasPrefix("--state \(path) is of another version of Tapedeck"))
    }

    @Test func `refuses a file of somebody else`() throws {
        let kept = try Kept()
        let path = kept.folder.appendingPathComponent("other").path
        let other = try Connection(path: path, flags: 6)
        try other.execute("CREATE TABLE t (a); PRAGMA application_id = 7")
        other.close()
        #expect(throws: SyncServerError(.badState, "")) { try ServerState(path: path) }
        #expect(throws: SyncServerError(.stateNotThere, "")) {
            try ServerState(path: path + "/no")
        }
    }
}

@available(*, unavailable)
extension SimperiumStoreTests.Kept: Sendable {}

extension JSONValue {
    /// The first element of an array.
    fileprivate var first: JSONValue? {
        guard case .array(let elements) = self else { return nil }
        return elements.first
    }
}
