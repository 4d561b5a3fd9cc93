import CSQLite
import Storage
import Testing

@testable import Redaction

@Suite("Rows of a connection are found without a look at those of others")
struct RowsByConnectionTests {
    private static let tables = ["chunk", "any_exchange", "any_message"]

    private func database() throws -> Connection {
        let db = try Connection(
            path: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        for table in Self.tables {
            try db.execute(
                """
                CREATE TABLE \(table)(
                  id INTEGER PRIMARY KEY, connection_id INTEGER NOT NULL, bytes BLOB);
                INSERT INTO \(table)
                  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
                  SELECT i, i % 300, randomblob(9) FROM n;
                """)
        }
        try RowsByConnection.make(db, of: "main")
        return db
    }

    @Test(arguments: tables) func `in their order`(table: String) throws {
        let db = try database()
        defer { db.close() }
        let source = RowsByConnection.source(table, of: "main")
        let rows = try db.prepare(
            "SELECT \(table).id, length(bytes) FROM \(source) ORDER BY number.id")
        rows.bind(1, 7)
        var found: [Int64] = []
        while try rows.step() { found.append(rows.integer(0)) }
        #expect(found == [7, 307, 607])
    }

    @Test(arguments: tables) func `by their numbers alone`(table: String) throws {
        let db = try database()
        defer { db.close() }
        let source = RowsByConnection.source(table, of: "main")
        let plan = try db.prepare(
            "EXPLAIN QUERY PLAN SELECT bytes FROM \(source) ORDER BY number.id")
        var steps: [String] = []
        while try plan.step() { steps.append(plan.string(3)) }
        #expect(steps.count == 2)
        #expect(steps.allSatisfy { $0.hasPrefix("SEARCH") }, "\(steps)")
    }
}
