internal import Storage
internal import Trace

/// Checks the references between rows, as far as a trace guarantees them.
struct RecordingChecks {
    private struct Check {
        var table: String
        var detail: String
        /// Gives the number of a row for which it does not hold.
        var sql: String
    }

    let db: Connection

    private static let byRow: [Check] =
        [
            "connection", "event", "gap", "mark", "fault_statement", "finding_statement",
            "undecided_statement", "packet", "secret",
        ].map {
            Check(
                table: $0, detail: "is of a session that recording.json does not have",
                sql: "SELECT id FROM \($0) WHERE session_id NOT IN (SELECT id FROM session)")
        }
        + ["connection", "leg", "event", "gap", "packet", "secret"].map {
            Check(
                table: $0, detail: "comes after a chunk that does not exist",
                sql: """
                    SELECT id FROM \($0) WHERE after_chunk_id >=
                      \(free("chunk", in: "chunk"))
                    """)
        }
        + ["fault_statement", "finding_statement", "undecided_statement"].flatMap { table in
            [
                Check(
                    table: table, detail: "points to a chunk that does not exist",
                    sql: """
                        SELECT id FROM \(table) WHERE chunk_id >=
                          \(free("chunk", in: "chunk"))
                        """),
                Check(
                    table: table, detail: "points beyond the bytes of its chunk",
                    sql: """
                        SELECT s.id FROM \(table) s JOIN chunk c ON c.id = s.chunk_id
                        WHERE s."offset" > length(c.bytes) + (
                          SELECT coalesce(sum(length(inserted)), 0) FROM patch
                          WHERE id >= \(Tables.share) * c.id
                            AND id < \(Tables.share) * (c.id + 1))
                        """),
            ]
        }
        + [
            Check(
                table: "fault_verdict", detail: "is about a fault that does not exist",
                sql: """
                    SELECT fault_id FROM fault_verdict WHERE fault_id >=
                      \(free("fault", in: "fault_statement"))
                    """),
            Check(
                table: "gap", detail: "ends before it begins",
                sql: "SELECT id FROM gap WHERE until_ns < at_ns"),
            Check(
                table: "chunk", detail: "has the leg of another connection",
                sql: """
                    SELECT c.id FROM chunk c JOIN leg l ON l.id = c.leg_id
                    WHERE l.connection_id <> c.connection_id
                    """),
        ]

    /// The next number of a table, as SQL.
    private static func free(_ counter: String, in table: String) -> String {
        """
        (SELECT max(next) FROM (SELECT 1 AS next UNION ALL SELECT max(id) + 1 FROM \(table)
          UNION ALL SELECT next FROM counter WHERE name = '\(counter)'))
        """
    }

    /// On a full disk the row of a connection or leg may be lost before its bytes.
    private static let unlessLost = [
        Check(
            table: "leg", detail: "is of a connection that does not exist",
            sql: "SELECT id FROM leg WHERE connection_id NOT IN (SELECT id FROM connection)"),
        Check(
            table: "chunk", detail: "is of a leg that does not exist",
            sql: "SELECT id FROM chunk WHERE leg_id NOT IN (SELECT id FROM leg)"),
    ]

    /// Throws what `mistake` makes of the first row for which something does not hold.
    func run(
        _ mistake: (_ table: String, _ id: Int64, _ detail: String) throws -> FileError
    ) throws {
        let hasLost = try db.integer("SELECT count(*) FROM gap WHERE reason = 'disk-full'") > 0
        for check in Self.byRow + (hasLost ? [] : Self.unlessLost) {
            let statement = try db.prepare(check.sql + " LIMIT 1")
            if try statement.step() {
                throw try mistake(check.table, statement.integer(0), check.detail)
            }
        }
    }
}
