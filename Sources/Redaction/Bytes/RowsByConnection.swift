internal import Storage

/// The chunks, exchanges and messages of a connection, without scanning those of all others.
///
/// A trace has indexes by connection only if it was recorded with a bound, and a trace that is
/// only read gets none. Kept in temporary tables, some twenty bytes for each row.
enum RowsByConnection {
    /// The tables of a trace whose rows are indexed by connection, each in a table `TABLE_of`.
    private static let tables = ["chunk", "any_exchange", "any_message"]

    /// Makes the tables for the rows of the database `schema`.
    static func make(_ db: Connection, of schema: String) throws {
        for table in tables {
            try db.execute(
                """
                CREATE TEMP TABLE \(table)_of(
                  connection_id INTEGER, id INTEGER,
                  PRIMARY KEY (connection_id, id)) WITHOUT ROWID;
                INSERT INTO temp.\(table)_of SELECT connection_id, id FROM \(schema).\(table)
                  ORDER BY connection_id, id;
                """)
        }
    }

    /// The numbers of the rows of `table` that belong to a connection, ascending.
    static func numbers(
        _ table: String, _ connection: Int64, _ db: Connection
    ) throws(StorageFault) -> [Int64] {
        let statement = try db.prepare(
            "SELECT id FROM temp.\(table)_of WHERE connection_id = ? ORDER BY id")
        statement.bind(1, connection)
        var numbers: [Int64] = []
        while try statement.step() { numbers.append(statement.integer(0)) }
        return numbers
    }

    /// The rows of `table` that belong to the connection bound as first parameter, as the source of
    /// a query that orders by `number.id`.
    static func source(_ table: String, of schema: String) -> String {
        "temp.\(table)_of number CROSS JOIN \(schema).\(table) ON \(table).id = number.id "
            + "AND number.connection_id = ?1"
    }
}
