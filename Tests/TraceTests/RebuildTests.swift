import Foundation
import Testing
import Wire

@testable import Trace

@Suite struct RebuildTests {
    /// A trace with everything in it, over two sessions of which the first was cut off.
    private func record(_ trace: TemporaryTrace) throws {
        var traffic = Traffic()
        let first = try trace.writer()
        _ = first.put(traffic.http(exchanges: 4))
        let opened = traffic.open()
        _ = first.put(opened.records + traffic.upgrade(opened))
        for number in 0..<20 {
            _ = first.put([traffic.change(opened, number)])
            _ = first.put(traffic.http(exchanges: 1))
            if number % 7 == 0 { first.flush() }
        }
        let phone = traffic.open()
        _ = first.put(phone.records + traffic.form(phone, cases: ["c1", "c2"]))
        // Answers that nobody asked for and requests that nobody answers.
        let odd = traffic.open()
        _ = first.put(
            odd.records + [
                traffic.chunk(odd, .server, Array("HTTP/1.1 200 OK\r\n\r\n".utf8)),
                traffic.chunk(odd, .client, Array("nonsense\r\n\r\n".utf8)),
            ])
        let waiting = traffic.open()
        _ = first.put(
            waiting.records + [traffic.chunk(waiting, .client, Array("GET / HTTP/1.1\r\n".utf8))])
        first.finish()
        var more = Traffic(first: 1_000)
        let second = try trace.writer()
        _ = second.put(more.http(exchanges: 2))
        second.finish()
    }

    @Test func `gives the same rows with the same numbers`() throws {
        let trace = try TemporaryTrace()
        try record(trace)
        let live = try trace.dumps(TemporaryTrace.derived + TemporaryTrace.truth)
        #expect(live["any_exchange"]?.count ?? 0 > 20)
        #expect(live["any_message"]?.count == 20)
        let words = try trace.rows("SELECT rowid FROM search WHERE search MATCH 'hello' ORDER BY 1")
        try Rebuild.run(path: trace.path)
        let rebuilt = try trace.dumps(TemporaryTrace.derived + TemporaryTrace.truth)
        for (table, rows) in live { #expect(rows == rebuilt[table], "\(table)") }
        #expect(
            try trace.rows("SELECT rowid FROM search WHERE search MATCH 'hello' ORDER BY 1")
                == words)
        #expect(try trace.integrity == "ok")
    }

    @Test func `makes the indexes of this program in place of those of an older one`() throws {
        let trace = try TemporaryTrace()
        try record(trace)
        let indexes = "SELECT sql FROM sqlite_schema WHERE type = 'index' ORDER BY name"
        let own = try trace.rows(indexes)
        _ = try trace.rows("DROP INDEX note_connection")
        _ = try trace.rows("CREATE INDEX note_connection ON note(connection_id)")
        _ = try trace.rows("DROP INDEX part_exchange")
        try Rebuild.run(path: trace.path)
        #expect(try trace.rows(indexes) == own)
    }

    @Test func `refuses a trace of an earlier format, and leaves it as it is`() throws {
        let trace = try TemporaryTrace()
        try record(trace)
        let tables = TemporaryTrace.derived + TemporaryTrace.truth
        let before = try trace.dumps(tables)
        _ = try trace.rows("PRAGMA user_version = 7")
        let refused = TraceError(.olderFormat, "")
        #expect(throws: refused) { try trace.reader() }
        #expect(throws: refused) { try trace.writer() }
        #expect(throws: refused) { try Rebuild.run(path: trace.path) }
        #expect(try trace.rows("PRAGMA user_version") == ["7"])
        #expect(try trace.dumps(tables) == before)
    }

    @Test func `gives the numbers that rows had, where others were evicted`() throws {
        let trace = try TemporaryTrace()
        try record(trace)
        // What eviction leaves: a hole in the numbers.
        for sql in [
            "DELETE FROM http_body WHERE exchange_id IN "
                + "(SELECT id FROM http_exchange WHERE connection_id IN (1, 5, 9))",
            "DELETE FROM any_exchange WHERE connection_id IN (1, 5, 9)",
            "DELETE FROM patch WHERE chunk_id IN "
                + "(SELECT id FROM chunk WHERE connection_id IN (1, 5, 9))",
            "DELETE FROM note WHERE connection_id IN (1, 5, 9)",
            "DELETE FROM chunk WHERE connection_id IN (1, 5, 9)",
            "DELETE FROM event WHERE connection_id IN (1, 5, 9)",
            "DELETE FROM leg WHERE connection_id IN (1, 5, 9)",
            "DELETE FROM connection WHERE id IN (1, 5, 9)",
        ] {
            _ = try trace.rows(sql)
        }
        let live = try trace.dumps(TemporaryTrace.derived)
        try Rebuild.run(path: trace.path)
        let rebuilt = try trace.dumps(TemporaryTrace.derived)
        for (table, rows) in live { #expect(rows == rebuilt[table], "\(table)") }
        // Readers must not take their order for that of what was sent.
        #expect(
            try trace.rows(
                "SELECT count(*) FROM pragma_index_list('any_exchange') "
                    + "WHERE name = 'any_exchange_request_chunk'") == ["1"])
    }

    @Test func `makes rows again that were damaged, and new sessions go on from there`() throws {
        let trace = try TemporaryTrace()
        try record(trace)
        let live = try trace.dumps(TemporaryTrace.derived)
        let payloads = try trace.rows("SELECT id, payload FROM message ORDER BY id")
        _ = try trace.rows("DELETE FROM any_exchange WHERE id > 3")
        _ = try trace.rows("UPDATE any_message SET payload = 'other'")
        var last = 0.0
        try Rebuild.run(path: trace.path) { last = $0 }
        #expect(last == 1)
        #expect(try trace.rows("SELECT id, payload FROM message ORDER BY id") == payloads)
        #expect(
            try trace.rows("SELECT count(*) FROM http_exchange")
                == ["\(live["any_exchange"]?.count ?? 0)"])
    }

    @Test func `gives no number again that a decoder before had given`() throws {
        let trace = try TemporaryTrace()
        var traffic = Traffic()
        var writer = try trace.writer()
        _ = writer.put(traffic.http(exchanges: 3))
        writer.finish()
        // A row that no decoder makes any more.
        let columns = Tables.exchange.definition.columns.dropFirst().map(\.quotedName)
        let others = columns.joined(separator: ",")
        _ = try trace.rows(
            "INSERT INTO any_exchange(id,\(others)) SELECT 4,\(others) FROM any_exchange WHERE id = 3"
        )
        try Rebuild.run(path: trace.path)
        #expect(try trace.rows("SELECT max(id) FROM any_exchange") == ["3"])
        writer = try trace.writer()
        _ = writer.put(traffic.http(exchanges: 1))
        writer.finish()
        #expect(try trace.rows("SELECT max(id) FROM any_exchange") == ["5"])
    }

    @Test func `gives the rows that a killed session left`() throws {
        let trace = try TemporaryTrace()
        let writer = try trace.writer()
        var traffic = Traffic()
        let opened = traffic.open()
        _ = writer.put(opened.records + traffic.upgrade(opened) + [traffic.change(opened, 1)])
        let waiting = traffic.open()
        let request = traffic.exchange(waiting, number: 0, body: "never comes").prefix(2)
        _ = writer.put(waiting.records + request)
        writer.flush()
        let killed = try TemporaryTrace()
        for name in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: trace.path + name, toPath: killed.path + name)
        }
        writer.finish()
        let second = try killed.writer()
        var more = Traffic(first: 100)
        _ = second.put(more.http(exchanges: 2))
        second.finish()
        let live = try killed.dumps(TemporaryTrace.derived)
        #expect(live["any_exchange"]?.count == 4)
        #expect(try killed.rows("SELECT id FROM http_exchange WHERE outcome = 'open'") == ["2"])
        try Rebuild.run(path: killed.path)
        let rebuilt = try killed.dumps(TemporaryTrace.derived)
        for (table, rows) in live { #expect(rows == rebuilt[table], "\(table)") }
    }

    @Test func `needs a trace that is there`() throws {
        let trace = try TemporaryTrace()
        #expect(throws: TraceError(.cannotOpen, "")) { try Rebuild.run(path: trace.path) }
    }
}
