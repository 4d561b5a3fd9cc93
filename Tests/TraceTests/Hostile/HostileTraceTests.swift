import CSQLite
import Dissection
import Foundation
import Storage
import Testing
import Wire

@testable import Trace

/// A trace from elsewhere may have been made to harm whoever opens it.
@Suite struct HostileTraceTests {
    /// A trace of some traffic on which `sql` was done by another program.
    private func changed(by sql: String) throws -> TemporaryTrace {
        let trace = try TemporaryTrace()
        let writer = try trace.writer()
        var traffic = Traffic()
        _ = writer.put(traffic.http(exchanges: 3))
        writer.finish()
        let db = try Connection(path: trace.path, flags: SQLITE_OPEN_READWRITE)
        try db.execute(sql)
        db.close()
        return trace
    }

    @Test(
        arguments: [
            "UPDATE any_exchange SET id = 9223372036854775807 WHERE id = 3",
            "UPDATE any_exchange SET id = -9223372036854775808 WHERE id = 1",
            "UPDATE chunk SET id = 1 << 40 WHERE id = (SELECT max(id) FROM chunk)",
            "INSERT INTO counter VALUES ('chunk', 9223372036854775807)",
            "INSERT INTO counter VALUES ('chunk', 0)",
            """
            CREATE TABLE kept AS SELECT * FROM mark; DROP TABLE mark;
            CREATE VIEW mark AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n)
              SELECT id, id AS session_id, id AS at_ns, '' AS name FROM n
            """,
            "DROP TABLE gap",
            "DROP VIEW http_exchange; CREATE VIEW http_exchange AS SELECT * FROM any_exchange",
            "CREATE INDEX i ON session(printf('%.*c', 9, 'x'))",
            "CREATE TRIGGER t AFTER INSERT ON session BEGIN DELETE FROM chunk; END",
        ])
    func `is refused by reader and writer where no program of ours can have written it`(
        sql: String
    ) throws {
        let trace = try changed(by: sql)
        #expect(throws: TraceError(.notATrace, "")) { try trace.reader() }
        #expect(throws: TraceError(.notATrace, "")) { try trace.writer() }
    }

    @Test(
        arguments: [
            "CREATE TABLE notes_of_mine(a)", "CREATE VIEW mine AS SELECT 1",
            "CREATE INDEX mine ON any_exchange(status)", "ANALYZE",
        ])
    func `is read with what others added beside it`(sql: String) throws {
        let trace = try changed(by: sql)
        let reader = try trace.reader()
        #expect(reader.warning == nil)
        let writer = try trace.writer()
        writer.finish()
    }

    @Test func `is the same where only comments and spaces of its schema differ`() throws {
        let trace = try changed(
            by: """
                PRAGMA writable_schema = ON;
                UPDATE sqlite_schema SET sql = replace(sql, ' -- ', '    -- about ') WHERE name = 'leg';
                PRAGMA writable_schema = RESET
                """)
        #expect(try trace.reader().warning == nil)
    }

    @Test func `has times from which others can be subtracted`() throws {
        for time in ["-9223372036854775808", "9223372036854775807"] {
            let trace = try changed(
                by: """
                    UPDATE any_exchange SET started_ns = \(time), request_ended_ns = \(time),
                      responded_ns = \(time);
                    UPDATE session SET started_unix_ns = \(time); UPDATE event SET at_ns = \(time);
                    """)
            let reader = try trace.reader()
            var count = 0
            try reader.lines(nil) { line in
                guard case .exchange(_, let row) = line else { return true }
                count += 1
                #expect(abs(row.startedAt.nanoseconds) == 1 << 60)
                return true
            }
            #expect(count == 3)
            #expect(abs(try reader.sessions()[0].startedUnixNanoseconds) < 1 << 62)
            _ = try reader.nanoseconds()
        }
    }

    @Test func `is read with a warning where SQLite finds damage`() throws {
        let trace = try changed(by: "SELECT 1")
        let file = try #require(FileHandle(forUpdatingAtPath: trace.path))
        // The number of pages in the list of free ones (SQLite's file format, 1.3).
        try file.seek(toOffset: 36)
        try file.write(contentsOf: Data([0, 0, 0, 5]))
        try file.close()
        let warning = try trace.reader().warning
        #expect(warning?.contains("is damaged") == true)
    }

    @Test func `cannot keep SQLite busy for ever`() throws {
        let db = try Connection(
            path: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        db.limitWork(units: 3)
        let endless = try db.prepare(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n
            """)
        let fault = #expect(throws: StorageFault.self) { try endless.run() }
        #expect(fault?.primary == SQLITE_INTERRUPT)
        // The next statement has all of it again.
        #expect(try db.integer("SELECT 7") == 7)
    }

    @Test func `can have no cells beyond their page`() throws {
        let db = try Connection(
            path: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        #expect(try db.integer("PRAGMA cell_size_check") == 1)
    }
}
