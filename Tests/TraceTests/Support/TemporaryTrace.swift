import CSQLite
import Foundation
import Storage
import Testing
import Wire

@testable import Trace

/// A directory of its own for the trace of one test.
final class TemporaryTrace {
    let directory: String
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("trace-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        directory = url.path
        path = url.appendingPathComponent("a.tape").path
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    /// A writer of a new session.
    func writer(_ options: TraceOptions = TraceOptions()) throws -> TraceWriter {
        try TraceWriter(
            path: path,
            session: SessionStart(
                provenance: .proxy, version: "1", arguments: "record",
                startedUnixNanoseconds: 1_000_000_000_000_000_000), options: options)
    }

    /// A reader.
    func reader() throws -> TraceReader { try TraceReader(path: path) }

    /// All rows of a query, each as its values in SQL's own notation.
    func rows(_ sql: String) throws -> [String] {
        let db = try Connection(
            path: path, flags: SQLITE_OPEN_READWRITE)
        defer { db.close() }
        let statement = try db.prepare(sql)
        var rows: [String] = []
        while try statement.step() { rows.append(statement.text) }
        return rows
    }

    /// Everything in a table, in order of its numbers.
    func dump(_ table: String) throws -> [String] {
        let db = try Connection(path: path, flags: SQLITE_OPEN_READWRITE)
        defer { db.close() }
        let columns = try db.prepare("SELECT name FROM pragma_table_info('\(table)')")
        var names: [String] = []
        while try columns.step() { names.append("quote(\"\(columns.string(0))\")") }
        let list = names.joined(separator: " || ',' || ")
        let statement = try db.prepare("SELECT \(list) FROM \(table) ORDER BY id")
        var rows: [String] = []
        while try statement.step() { rows.append(statement.string(0)) }
        return rows
    }

    static let derived = [
        "any_exchange", "http_body", "part", "openrosa", "case_block", "frame", "any_message",
        "any_command", "any_change", "note",
    ]

    static let truth = [
        "session", "connection", "leg", "chunk", "patch", "delivery", "event", "gap",
    ]

    func dumps(_ tables: [String]) throws -> [String: [String]] {
        var all: [String: [String]] = [:]
        for table in tables { all[table] = try dump(table) }
        return all
    }

    /// What SQLite says about the health of the file.
    var integrity: String {
        get throws { try rows("PRAGMA integrity_check").joined(separator: "\n") }
    }
}

extension Statement {
    /// The columns of the row, joined by bars.
    var text: String {
        (0..<columnCount).map { isNull($0) ? "null" : string($0) }.joined(separator: "|")
    }
}

extension TemporaryTrace {
    /// A trace with so many exchanges, each of which began up to 50 numbers earlier or later than its
    /// own says; those of `hole` are missing.
    static func disordered(
        _ count: Int, without hole: ClosedRange<Int>? = nil
    ) throws -> TemporaryTrace {
        let trace = try TemporaryTrace()
        let writer = try trace.writer()
        writer.finish()
        _ = try trace.rows(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO any_exchange(id, session_id, connection_id, api, method, scheme, host, port,
              path, version, status, started_ns, request_size, response_size, outcome, is_local,
              request_chunk_id, request_offset, side, fate)
            SELECT i, 1, 1, 'http', 'GET', 'http', 'a.example', 80, '/' || (i % 7), 'HTTP/1.1', 200,
              (i + i * 7919 % 100) * 1000, 0, 0, 'complete', 0, i, 0, 'both', 'same'
            FROM n WHERE i NOT BETWEEN \(hole?.lowerBound ?? 0) AND \(hole?.upperBound ?? 0)
            """)
        return trace
    }
}

extension SessionWriter {
    /// A writer of the first session of a new trace.
    convenience init(beginningIn db: Connection) throws {
        try self.init(
            beginning: SessionStart(
                provenance: .proxy, version: "", arguments: "", startedUnixNanoseconds: 0), in: db)
    }
}
