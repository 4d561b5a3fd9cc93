import CSQLite
import Dissection
import Foundation
import Notation
import Storage
import Testing
import Wire

@testable import Trace

@Suite struct SchemaTests {
    @Test func `every table and column has a comment`() throws {
        let trace = try TemporaryTrace()
        try trace.writer().finish()
        let documented = SchemaDocument.chapters.flatMap(\.tables)
        let present = try trace.rows(
            """
            SELECT name FROM sqlite_master WHERE type IN ('table', 'view')
              AND name NOT LIKE 'search\\_%' ESCAPE '\\' ORDER BY name
            """)
        #expect(documented.map(\.name).sorted() == present)
        for table in documented {
            let columns = try trace.rows("SELECT name FROM pragma_table_info('\(table.name)')")
            #expect(table.columns.map(\.name) == columns, "\(table.name)")
            #expect(!table.detail.isEmpty)
            #expect(table.columns.allSatisfy { !$0.detail.isEmpty }, "\(table.name)")
        }
    }

    @Test func `definitions are known as SQLite keeps them`() throws {
        let trace = try TemporaryTrace()
        try trace.writer().finish()
        let connection = try Connection(path: trace.path, flags: SQLITE_OPEN_READONLY)
        let kept = try Schema.objects(of: connection)
        let known = Schema.objects(in: Schema.whole)
        #expect(kept.count == known.count && kept.count > 40)
        for (name, object) in kept {
            #expect(known.first { $0.name == name }?.object == object, "\(name)")
        }
    }

    @Test func `indexes that eviction needs come with the first bound and stay`() throws {
        let trace = try TemporaryTrace()
        let named =
            "SELECT name FROM sqlite_master WHERE name LIKE '%\\_connection' ESCAPE '\\' ORDER BY 1"
        try trace.writer().finish()
        let unbounded = try trace.rows(named)
        #expect(!unbounded.contains("chunk_connection"))
        var options = TraceOptions()
        options.keepLast = 1_000_000_000
        try trace.writer(options).finish()
        let bounded = try trace.rows(named)
        #expect(
            Set(bounded).subtracting(unbounded)
                == ["chunk_connection", "any_exchange_connection", "any_message_connection"])
        #expect(try trace.rows(Self.byChunk) == ["1"])
        try trace.writer().finish()
        #expect(try trace.rows(named) == bounded)
    }

    private static let byChunk =
        "SELECT count(*) FROM sqlite_master WHERE name = 'any_exchange_request_chunk'"

    @Test(arguments: ["finding", "undecided", "verdict"])
    func `the index by which statements find exchanges comes with the first`(kind: String) throws {
        let trace = try TemporaryTrace()
        let writer = try trace.writer()
        var traffic = Traffic()
        _ = writer.put(traffic.http(exchanges: 3))
        writer.finish()
        try FindingStore.store(
            [DiagnosedSession(SessionID(1), findings: [])], in: trace.path)
        #expect(try trace.rows(Self.byChunk) == ["0"])
        let place = try #require(
            try FindingPlaces(ReplayReader(path: trace.path)).place(of: ExchangeID(2)))
        switch kind {
        case "finding":
            let row = FindingRow(
                at: .zero, rule: "http.bad", severity: .error, chunk: place.chunk,
                offset: place.offset, detail: "", expected: "")
            try FindingStore.store(
                [DiagnosedSession(SessionID(1), findings: [row])], in: trace.path)
        case "undecided":
            let row = UndecidedRow(
                at: .zero, rule: "http.open", waitedNanoseconds: 1, chunk: place.chunk,
                offset: place.offset, detail: "", expected: "")
            try FindingStore.store(
                [DiagnosedSession(SessionID(1), findings: [], undecided: [row])], in: trace.path)
        default:
            let row = FaultVerdictRow(
                fault: 1, verdict: "recovered", how: "", exchange: ExchangeID(2),
                command: nil, afterNanoseconds: nil, tries: 1)
            try FaultVerdicts.store([row], in: trace.path)
        }
        #expect(try trace.rows(Self.byChunk) == ["1"])
        if kind != "verdict" {
            #expect(try trace.rows("SELECT exchange_id FROM \(kind)") == ["2"])
            let plan = try trace.rows("EXPLAIN QUERY PLAN SELECT exchange_id FROM \(kind)")
            #expect(!plan.contains { $0.contains("SCAN x") }, "\(plan)")
        }
    }

    @Test func `tables are strict`() throws {
        let trace = try TemporaryTrace()
        try trace.writer().finish()
        let loose = try trace.rows(
            """
            SELECT name FROM pragma_table_list WHERE type = 'table' AND NOT strict
              AND schema = 'main' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
            """)
        #expect(loose == [])
    }

    @Test func `the documentation is what the schema says`() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources/Trace/TraceFormat.md").standardized
        if ProcessInfo.processInfo.environment["TAPEDECK_REBASELINE"] == "1" {
            try Data(SchemaDocument.markdown.utf8).write(to: file)
        }
        let written = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        #expect(written == SchemaDocument.markdown)
    }

    @Test func `views answer`() throws {
        let trace = try TemporaryTrace()
        try trace.writer().finish()
        for view in ["exchange", "command", "header", "fault", "finding", "undecided"]
            + Schema.stateViewNames
        {
            #expect(try trace.rows("SELECT * FROM \(view)") == [])
        }
    }

    @Test(arguments: ExampleQueries.all)
    func `example queries run`(example: ExampleQueries.Example) throws {
        let trace = try TemporaryTrace()
        try trace.writer().finish()
        #expect(try trace.rows(example.sql) == [])
    }

    @Test func `views have the wall clock and the fields of heads`() throws {
        let trace = try TemporaryTrace()
        let writer = try trace.writer()
        var traffic = Traffic()
        _ = writer.put(traffic.http(exchanges: 1))
        writer.finish()
        let start = try trace.rows("SELECT started_unix_ns FROM session").first.flatMap {
            Int64($0)
        }
        let time = try trace.rows("SELECT time FROM exchange").first ?? ""
        let at = try trace.rows("SELECT started_ns FROM exchange").first.flatMap { Int64($0) }
        let moment = try #require(Timestamp(time)?.unixNanoseconds)
        let expected = try #require(start) + #require(at)
        #expect(moment == expected / 1000 * 1000)
        let names = try trace.rows("SELECT name FROM header WHERE sender = 0 ORDER BY position")
        #expect(names.contains("host"))
        #expect(try trace.rows("SELECT value FROM header WHERE name = 'host'").count == 1)
    }
}
