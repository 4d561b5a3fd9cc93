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
        #expect(live["http_exchange"]?.count ?? 0 > 20)
        #expect(live["message"]?.count == 20)
        let words = try trace.rows("SELECT rowid FROM search WHERE search MATCH 'hello' ORDER BY 1")
        try Rebuild.run(path: trace.path)
        let rebuilt = try trace.dumps(TemporaryTrace.derived + TemporaryTrace.truth)
        for (table, rows) in live { #expect(rows == rebuilt[table], "\(table)") }
        #expect(
            try trace.rows("SELECT rowid FROM search WHERE search MATCH 'hello' ORDER BY 1")
                == words)
        #expect(try trace.integrity == "ok")
    }

    @Test func `brings a trace of format 1 up to date`() throws {
        let trace = try TemporaryTrace()
        try record(trace)
        let tables = TemporaryTrace.derived + TemporaryTrace.truth
        let live = try trace.dumps(tables)
        let bodies = try trace.rows("SELECT * FROM body ORDER BY id")
        for sql in [
            "DROP VIEW bucket_object", "DROP VIEW bucket_told", "DROP VIEW unacknowledged_change",
            "DROP VIEW commcare_form", "DROP VIEW commcare_sync",
            "DROP VIEW commcare_case", "DROP VIEW commcare_device_case", "DROP TABLE case_block",
            "DROP TABLE packet", "DROP TABLE secret",
            "DROP VIEW exchange", "DROP VIEW command", "DROP VIEW fault", "DROP VIEW finding",
            """
            CREATE TABLE old_body(id INTEGER PRIMARY KEY, exchange_id INTEGER NOT NULL,
              sender INTEGER NOT NULL, head BLOB NOT NULL, trailers BLOB, content ANY,
              size INTEGER NOT NULL, wire_size INTEGER NOT NULL, coding TEXT NOT NULL,
              content_type TEXT, problem TEXT) STRICT
            """,
            "INSERT INTO old_body SELECT * FROM body", "DROP VIEW body", "DROP TABLE http_body",
            "ALTER TABLE old_body RENAME TO body",
            "CREATE TABLE old_patch AS SELECT row_number() OVER (ORDER BY id) AS n, * FROM patch",
            "DELETE FROM patch",
            """
            INSERT INTO patch SELECT n, chunk_id, "offset", removed, inserted, reason FROM old_patch
            """,
            "DROP TABLE old_patch", "CREATE INDEX patch_chunk ON patch(chunk_id)",
            "ALTER TABLE session DROP COLUMN seed", "DROP TABLE fault_verdict",
            "DROP TABLE fault_statement",
            """
            CREATE TABLE fault_statement(id INTEGER PRIMARY KEY, session_id INTEGER NOT NULL,
              at_ns INTEGER NOT NULL, rule TEXT NOT NULL, action TEXT NOT NULL, chunk_id INTEGER,
              "offset" INTEGER NOT NULL) STRICT
            """,
            "ALTER TABLE http_exchange DROP COLUMN user",
            "ALTER TABLE openrosa DROP COLUMN owners",
            "ALTER TABLE leg DROP COLUMN is_tls", "PRAGMA user_version = 1",
        ] {
            _ = try trace.rows(sql)
        }
        #expect(throws: TraceError(.olderFormat, "")) { try trace.reader() }
        try trace.writer().finish()
        #expect(try trace.rows("SELECT * FROM body ORDER BY id") == bodies)
        #expect(try trace.rows("PRAGMA user_version") == ["\(Schema.version)"])
        try Rebuild.run(path: trace.path)
        let rebuilt = try trace.dumps(tables)
        for (table, rows) in live where table != "session" && table != "event" {
            #expect(rows == rebuilt[table], "\(table)")
        }
        #expect(try trace.integrity == "ok")
    }

    @Test func `brings a trace of format 5 up to date`() throws {
        let trace = try TemporaryTrace()
        try record(trace)
        let blocks = try trace.dump("case_block")
        #expect(blocks.count == 2)
        for sql in [
            "DROP VIEW commcare_form", "DROP VIEW commcare_sync",
            "DROP VIEW commcare_case", "DROP VIEW commcare_device_case", "DROP TABLE case_block",
            "ALTER TABLE http_exchange DROP COLUMN user",
            "ALTER TABLE openrosa DROP COLUMN owners",
            "ALTER TABLE leg DROP COLUMN is_tls", "PRAGMA user_version = 5",
        ] {
            _ = try trace.rows(sql)
        }
        #expect(throws: TraceError(.olderFormat, "")) { try trace.reader() }
        try trace.writer().finish()
        #expect(try trace.rows("SELECT * FROM commcare_case") == [])
        try Rebuild.run(path: trace.path)
        #expect(try trace.dump("case_block") == blocks)
        #expect(try trace.rows("SELECT case_id FROM commcare_case ORDER BY 1") == ["c1", "c2"])
        #expect(try trace.integrity == "ok")
    }

    @Test func `brings a trace of format 6 up to date`() throws {
        let trace = try TemporaryTrace()
        try record(trace)
        let blocks = try trace.dump("case_block")
        for sql in [
            "DROP VIEW commcare_form", "DROP VIEW commcare_sync",
            "DROP VIEW commcare_case", "DROP VIEW commcare_device_case",
            """
            CREATE TABLE old(id INTEGER PRIMARY KEY, openrosa_id INTEGER NOT NULL,
              exchange_id INTEGER NOT NULL, sender INTEGER NOT NULL, position INTEGER NOT NULL,
              case_id TEXT, action TEXT NOT NULL, case_type TEXT, case_name TEXT, owner_id TEXT,
              user_id TEXT, date_modified TEXT, indices TEXT) STRICT
            """,
            """
            INSERT INTO old SELECT id, openrosa_id, exchange_id, sender, position, case_id, action,
              case_type, case_name, owner_id, user_id, date_modified, indices FROM case_block
            """,
            "DROP TABLE case_block", "ALTER TABLE old RENAME TO case_block",
            "CREATE INDEX case_block_case ON case_block(case_id)",
            "ALTER TABLE http_exchange DROP COLUMN user",
            "ALTER TABLE openrosa DROP COLUMN owners",
            "ALTER TABLE leg DROP COLUMN is_tls", "PRAGMA user_version = 6",
        ] {
            _ = try trace.rows(sql)
        }
        try trace.writer().finish()
        let cases = "SELECT case_id, case_name, properties FROM commcare_case ORDER BY 1"
        #expect(try trace.rows(cases) == ["c1|of c1|{}", "c2|of c2|{}"])
        try Rebuild.run(path: trace.path)
        #expect(try trace.dump("case_block") == blocks)
        #expect(
            try trace.rows(cases) == [#"c1|of c1|{"age":"7"}"#, #"c2|of c2|{"age":"7"}"#])
        #expect(try trace.integrity == "ok")
    }

    @Test func `brings a trace of format 7 up to date`() throws {
        let trace = try TemporaryTrace()
        try record(trace)
        let legs = try trace.rows("SELECT id, host, port FROM leg ORDER BY id")
        for sql in ["ALTER TABLE leg DROP COLUMN is_tls", "PRAGMA user_version = 7"] {
            _ = try trace.rows(sql)
        }
        try trace.writer().finish()
        #expect(try trace.rows("SELECT id, host, port FROM leg ORDER BY id") == legs)
        #expect(try trace.rows("SELECT count(is_tls) FROM leg") == ["0"])
        try Rebuild.run(path: trace.path)
        #expect(try trace.integrity == "ok")
    }

    @Test func `gives the numbers that rows had, where others were let go`() throws {
        let trace = try TemporaryTrace()
        try record(trace)
        // What letting go leaves: a hole in the numbers.
        for sql in [
            "DELETE FROM http_body WHERE exchange_id IN "
                + "(SELECT id FROM http_exchange WHERE connection_id IN (1, 5, 9))",
            "DELETE FROM http_exchange WHERE connection_id IN (1, 5, 9)",
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
    }

    @Test func `makes rows again that were damaged, and new sessions go on from there`() throws {
        let trace = try TemporaryTrace()
        try record(trace)
        let live = try trace.dumps(TemporaryTrace.derived)
        let payloads = try trace.rows("SELECT id, payload FROM message ORDER BY id")
        _ = try trace.rows("DELETE FROM http_exchange WHERE id > 3")
        _ = try trace.rows("UPDATE message SET payload = 'other'")
        var last = 0.0
        try Rebuild.run(path: trace.path) { last = $0 }
        #expect(last == 1)
        #expect(try trace.rows("SELECT id, payload FROM message ORDER BY id") == payloads)
        #expect(
            try trace.rows("SELECT count(*) FROM http_exchange")
                == ["\(live["http_exchange"]?.count ?? 0)"])
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
        #expect(live["http_exchange"]?.count == 4)
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
