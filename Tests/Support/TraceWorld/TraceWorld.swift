import CSQLite
import Foundation
import Storage
package import Testing
package import Trace
import Wire

/// A folder of its own for the traces and recordings of one test.
package final class TraceWorld {
    package let directory: String

    package init() throws {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("recording-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        directory = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    package func path(_ name: String) -> String { directory + "/" + name }

    package func text(_ name: String) throws -> String {
        try String(contentsOfFile: path(name), encoding: .utf8)
    }

    package func write(_ text: String, to name: String) throws {
        try text.write(toFile: path(name), atomically: false, encoding: .utf8)
    }

    /// What is in the folder, hidden names included.
    package var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: directory).sorted() }
    }

    package func mode(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path(name))
        return try #require(attributes[.posixPermissions] as? Int)
    }

    /// All rows of a query, each column in SQL's own notation.
    package func rows(
        _ sql: String, of name: String = "a.tape", after first: String = ""
    ) throws -> [String] {
        let db = try Connection(path: path(name), flags: SQLITE_OPEN_READWRITE)
        defer { db.close() }
        try db.execute(first)
        let statement = try db.prepare(sql)
        var rows: [String] = []
        while try statement.step() {
            rows.append((0..<statement.columnCount).map(statement.string).joined(separator: "|"))
        }
        return rows
    }

    /// Every column of every row of a table, as the schema of the trace has them.
    package func dump(_ table: String, of name: String) throws -> [String] {
        let columns = try rows("SELECT name FROM pragma_table_info('\(table)')", of: name)
        let list = columns.map { "quote(\"\($0)\")" }.joined(separator: " || ',' || ")
        return try rows("SELECT \(list) FROM \(table) ORDER BY 1", of: name)
    }

    /// The tables of a trace apart from those that full-text search keeps for itself.
    package func tables(of name: String = "a.tape") throws -> [String] {
        try rows(
            """
            SELECT name FROM sqlite_master WHERE type = 'table'
              AND name NOT LIKE 'search%' AND name NOT LIKE 'sqlite%' ORDER BY name
            """, of: name)
    }

    /// Says where two traces are not the same, row by row.
    package func expectSame(
        _ a: String, _ b: String, apartFrom other: Set<String> = [],
        at place: SourceLocation = #_sourceLocation
    ) throws {
        for table in try tables(of: a) where !other.contains(table) {
            let left = try dump(table, of: a)
            let right = try dump(table, of: b)
            #expect(left == right, "\(table)", sourceLocation: place)
        }
    }

    package func writer(
        _ name: String = "a.tape", arguments: String = "record", seed: UInt64? = nil
    ) throws
        -> TraceWriter
    {
        try TraceWriter(
            path: path(name),
            session: SessionStart(
                provenance: .proxy, version: "0.1.0", arguments: arguments,
                startedUnixNanoseconds: 1_700_000_000_000_000_000, seed: seed))
    }
}
