import Dissection
import Storage
import Testing
import Wire

@testable import Trace

@Suite struct SearchIndexerTests {
    private func body(_ exchange: Int64, _ text: String) -> DerivedRow {
        .body(
            BodyRow(
                exchange: ExchangeID(exchange), sender: .server, head: [],
                content: Array(text.utf8), size: Int64(text.utf8.count)))
    }

    @Test func `finds what came when its number had been passed`() throws {
        let trace = try TemporaryTrace()
        let file = try TraceFile(path: trace.path)
        defer { file.close() }
        let db = file.connection
        let writer = try SessionWriter(beginningIn: db)
        let indexer = try SearchIndexer(db)
        func write(_ rows: [DerivedRow]) throws {
            try writer.commit(
                Batch(records: [], rows: rows), dissector: DissectorNumbers(), indexer: indexer)
        }
        func found(_ word: String) throws -> Int64 {
            try db.integer("SELECT count(*) FROM search WHERE search MATCH '\(word)'")
        }
        try write([body(2, "second"), body(3, "third")])
        // A slice that is over at once does nothing and says that there is more.
        #expect(try indexer.slice { true })
        #expect(try found("second") == 0)
        while try indexer.slice(until: { false }) {}
        #expect(try found("second") == 1)
        #expect(try db.integer("SELECT upto FROM progress WHERE name = 'body'") == 7)
        try write([body(1, "first"), body(4, "fourth")])
        #expect(try db.integer("SELECT id FROM late") == 6)
        #expect(!indexer.isDone)
        while try indexer.slice(until: { false }) {}
        #expect(try found("first") == 1)
        #expect(try found("fourth") == 1)
        #expect(try db.integer("SELECT count(*) FROM late") == 0)
        try indexer.startOver()
        #expect(try found("first") == 0)
        while try indexer.slice(until: { false }) {}
        #expect(try found("first") == 1)
    }
}
