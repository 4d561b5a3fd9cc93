import Dissection
import Notation
import Storage
import Testing
import Wire

@testable import Trace

@Suite struct ChangeKeyIndexerTests {
    private func change(_ command: Int64, _ position: Int, _ key: String?) -> DerivedRow {
        .change(
            ChangeRow(
                command: CommandID(command), position: position, bucket: "notes", key: key,
                operation: "M", sv: nil, ev: nil, cv: nil, ccid: nil, clientID: nil, error: nil,
                offset: 0, size: 0))
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `has each change that a key was given for, in whatever order they come`(
        _ seed: UInt64
    ) throws {
        let trace = try TemporaryTrace()
        let file = try TraceFile(path: trace.path)
        defer { file.close() }
        let db = file.connection
        let writer = try SessionWriter(beginningIn: db)
        let keys = try ChangeKeyIndexer(db)
        var random = SplitMix64(seed: seed)
        var rows = (1...400).flatMap { command in
            (0..<Int(random.next() % 3)).map { position in
                change(
                    Int64(command), position,
                    random.next() % 10 == 0 ? nil : "key-\(random.next() % 20)")
            }
        }
        while !rows.isEmpty {
            // Of what is near the front, since commands end out of order only among a few.
            let batch = (0..<min(rows.count, 1 + Int(random.next() % 30))).map { _ in
                rows.remove(at: Int(random.next() % UInt64(min(rows.count, 40))))
            }
            try writer.commit(
                Batch(records: [], rows: batch), dissector: DissectorNumbers(), keys: keys)
            #expect(batch.isEmpty || !keys.isDone)
            if random.next() % 3 == 0 { while try keys.slice(until: { false }) {} }
        }
        while try keys.slice(isEnd: true, until: { false }) {}
        #expect(keys.isDone)
        let wanted = try trace.rows(
            "SELECT key, id FROM any_change WHERE key IS NOT NULL ORDER BY key, id")
        #expect(wanted.count > 200)
        #expect(try trace.rows("SELECT key, id FROM change_key ORDER BY key, id") == wanted)
    }

    @Test func `does nothing when it is over at once`() throws {
        let trace = try TemporaryTrace()
        let file = try TraceFile(path: trace.path)
        defer { file.close() }
        let writer = try SessionWriter(beginningIn: file.connection)
        let keys = try ChangeKeyIndexer(file.connection)
        try writer.commit(
            Batch(records: [], rows: [change(1, 0, "a")]), dissector: DissectorNumbers(),
            keys: keys)
        #expect(try keys.slice { true })
        #expect(try trace.rows("SELECT * FROM change_key") == [])
    }
}
