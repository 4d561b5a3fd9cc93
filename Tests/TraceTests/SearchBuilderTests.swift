import CSQLite
import Dissection
import Notation
import Storage
import Testing
import Wire

@testable import Trace

/// The index that a thread of its own builds is the one that the indexer would have built.
@Suite struct SearchBuilderTests {
    /// Bodies and messages in no order, with words of few letters, so that many share them.
    private static func rows(_ random: inout SplitMix64) -> [DerivedRow] {
        func text() -> [UInt8] {
            let words = (0..<random.next() % 30).map { _ in
                String(
                    (0..<1 + random.next() % 3).map { _ in
                        "abcdeé".randomElement(using: &random) ?? "a"
                    })
            }
            return Array(words.joined(separator: " ").utf8)
        }
        var rows: [DerivedRow] = []
        for number in 1...300 {
            let content = text()
            let isText = random.next() % 8 > 0
            if random.next() % 3 == 0 {
                rows.append(
                    .message(
                        MessageRow(
                            id: MessageID(Int64(number)), connection: ConnectionID(1),
                            exchange: ExchangeID(1), sender: .client, at: .zero, endedAt: .zero,
                            opcode: 1, payload: content, isText: isText,
                            size: Int64(content.count), wireSize: Int64(content.count),
                            isCompressed: false, frames: 1, closeCode: nil, problem: nil,
                            place: Place(chunk: ChunkID(1), offset: 0))))
            } else {
                rows.append(
                    .body(
                        BodyRow(
                            exchange: ExchangeID(Int64(number)), sender: .server, head: [],
                            content: content, isText: isText, size: Int64(content.count))))
            }
        }
        // A message that was lost and is received after all is written again.
        let messages = rows.filter { if case .message = $0 { true } else { false } }
        return rows.shuffled(using: &random) + messages.prefix(20).shuffled(using: &random)
    }

    /// A trace with these rows, indexed by `index`, and every place of every word in it.
    private func places(
        of rows: [DerivedRow], _ index: (Connection, String) throws -> Void
    ) throws -> [String] {
        let trace = try TemporaryTrace()
        let file = try TraceFile(path: trace.path)
        defer { file.close() }
        let writer = try SessionWriter(beginningIn: file.connection)
        try writer.commit(Batch(records: [], rows: rows), dissector: DissectorNumbers())
        try index(file.connection, trace.path)
        let reading = try Connection(path: trace.path, flags: SQLITE_OPEN_READWRITE)
        defer { reading.close() }
        try reading.execute(
            """
            INSERT INTO search(search) VALUES ('integrity-check');
            CREATE VIRTUAL TABLE temp.word USING fts5vocab(main, search, instance);
            """)
        var found: [String] = []
        let words = try reading.prepare(
            "SELECT term, doc, \"offset\" FROM temp.word ORDER BY term, doc, \"offset\"")
        while try words.step() {
            found.append("\(words.string(0)) \(words.integer(1)) \(words.integer(2))")
        }
        for name in ["body", "message"] {
            let upto = try reading.integer("SELECT upto FROM progress WHERE name = '\(name)'")
            found.append("\(name) \(upto)")
        }
        return found
    }

    @Test(arguments: 0..<6) func `has the words of the indexer`(_ seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let rows = Self.rows(&random)
        let expected = try places(of: rows) { db, _ in
            let indexer = try SearchIndexer(db)
            while try indexer.slice(until: { false }) {}
        }
        let most = Int(random.next() % 2_000)
        let found = try places(of: rows) { db, path in
            let builder = try #require(SearchBuilder(beside: path, atOnce: most))
            for row in rows { builder.add(row) }
            #expect(try builder.publish())
            // Nothing is left to do for the indexer, which goes on from there.
            let indexer = try SearchIndexer(db)
            while try indexer.slice(until: { false }) {}
        }
        #expect(found == expected)
        #expect(found.count > 1_000)
    }

    @Test func `leaves the trace as it was where it has no room`() throws {
        let trace = try TemporaryTrace()
        #expect(SearchBuilder(beside: trace.path + "/none/trace.tape") == nil)
    }

    @Test(arguments: [9, 12, 30]) func `leaves it to the indexer where its file is full`(
        pages: Int64
    ) throws {
        var random = SplitMix64(seed: UInt64(pages))
        // Of words of which each is there once, 300 KB.
        let rows = (1...Int64(100)).map { number -> DerivedRow in
            let words = (0..<300).map { _ in String(random.next(), radix: 36).prefix(9) }
            let content = Array(words.joined(separator: " ").utf8)
            return .body(
                BodyRow(
                    exchange: ExchangeID(number), sender: .client, head: [], content: content,
                    isText: true, size: Int64(content.count)))
        }
        let expected = try places(of: rows) { db, _ in
            let indexer = try SearchIndexer(db)
            while try indexer.slice(until: { false }) {}
        }
        let found = try places(of: rows) { db, path in
            let builder = try #require(SearchBuilder(beside: path, atOnce: 5_000, pages: pages))
            for row in rows { builder.add(row) }
            #expect(try !builder.publish())
            #expect(try db.integer("SELECT count(*) FROM search_docsize") == 0)
            let indexer = try SearchIndexer(db)
            while try indexer.slice(until: { false }) {}
        }
        #expect(found == expected)
    }
}
