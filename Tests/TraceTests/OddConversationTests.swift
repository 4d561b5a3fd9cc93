import Testing
import Wire

@testable import Trace

@Suite struct OddConversationTests {
    /// Everything that decoding makes, but for where in the chunks it stands, each row with its number
    /// among those of its connection and side.
    private static func decoded(_ trace: TemporaryTrace) throws -> [String: [String]] {
        let left = ["chunk_id", "offset", "head_size", "openrosa_id"]
        let numbered = ["exchange", "message", "command"]
        let numbers = numbered.map { kind in
            """
            \(kind)_number(id, n) AS (SELECT id, connection_id || side = 'server' || '.' ||
              row_number() OVER (PARTITION BY connection_id, side = 'server' ORDER BY id)
              FROM any_\(kind))
            """
        }.joined(separator: ", ")
        var all: [String: [String]] = [:]
        for table in TemporaryTrace.derived + ["body"] where table != "http_body" {
            let own = numbered.first { table == "any_\($0)" }
            let columns = try trace.rows("SELECT name FROM pragma_table_info('\(table)')")
                .filter { name in !left.contains { name.hasSuffix($0) } }
                .compactMap { name -> String? in
                    let kind = numbered.first { name == "\($0)_id" }
                    if let kind = name == "id" || name == "counterpart_id" ? own : kind {
                        return "(SELECT n FROM \(kind)_number m WHERE m.id = t.\(name))"
                    }
                    return name == "id" ? nil : "t.\"\(name)\""
                }
            let list = columns.map { "quote(\($0))" }.joined(separator: " || ',' || ")
            all[table] = try trace.rows("WITH \(numbers) SELECT \(list) FROM \(table) t").sorted()
        }
        return all
    }

    /// A trace of `seeds`, all at once or one after the other, rebuilt if asked.
    private static func trace(
        _ seeds: Range<UInt64>, longest: Int?, rebuilds: Bool = false
    ) throws -> (live: [String: [String]], rebuilt: [String: [String]]) {
        let trace = try TemporaryTrace()
        let writer = try trace.writer()
        for seed in seeds {
            let number = Int64(seed - seeds.lowerBound) + 1
            let conversation = OddConversation(seed: seed)
            for record in conversation.records(number, longest: longest, seed: seed) {
                _ = writer.put([record])
            }
        }
        writer.finish()
        let live = try decoded(trace)
        guard rebuilds else { return (live, live) }
        try Rebuild.run(path: trace.path)
        return (live, try decoded(trace))
    }

    @Test(arguments: 0..<16)
    func `decode the same however they are cut, and when rebuilt`(batch: Int) throws {
        let seeds = UInt64(batch * 25)..<UInt64(batch * 25 + 25)
        let whole = try Self.trace(seeds, longest: nil, rebuilds: true)
        let single = try Self.trace(seeds, longest: 1, rebuilds: batch % 4 == 0)
        let random = try Self.trace(seeds, longest: 40)
        for (table, rows) in whole.live {
            #expect(whole.rebuilt[table] == rows, "\(table), rebuilt")
            #expect(single.live[table] == rows, "\(table), byte by byte")
            #expect(single.rebuilt[table] == single.live[table], "\(table), bytes rebuilt")
            #expect(random.live[table] == rows, "\(table), cut anywhere")
        }
    }

    @Test func `never leave an exchange open, nor blame a server for answering the unreadable`()
        throws
    {
        let trace = try TemporaryTrace()
        let writer = try trace.writer()
        for seed in UInt64(0)..<400 {
            _ = writer.put(
                OddConversation(seed: seed).records(Int64(seed) + 1, longest: nil, seed: seed))
        }
        writer.finish()
        #expect(try trace.rows("SELECT id FROM http_exchange WHERE outcome = 'open'") == [])
        #expect(
            try trace.rows(
                """
                SELECT n.id FROM note n WHERE n.code = 'http.response-without-request'
                  AND EXISTS (SELECT 1 FROM note f WHERE f.connection_id = n.connection_id
                    AND f.sender = 0 AND f.code = 'http.failed' AND f.id < n.id
                    AND NOT EXISTS (SELECT 1 FROM http_exchange c WHERE c.method = 'CONNECT'
                      AND c.connection_id = n.connection_id))
                """) == [])
        let seen = try trace.rows(
            """
            SELECT (SELECT count(*) FROM http_exchange WHERE method = '?') > 20,
              (SELECT count(*) FROM http_exchange WHERE method = 'CONNECT' AND status = 200) > 20,
              (SELECT count(*) FROM message) > 20,
              (SELECT count(*) FROM note WHERE code = 'http.head-cut') > 5
            """)
        #expect(seen == ["1|1|1|1"])
    }
}
