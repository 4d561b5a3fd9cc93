internal import Storage
internal import Trace
internal import Wire

/// The rows of a trace with texts that may have secrets in them: sessions, events, faults, findings,
/// what could not be decided, and marks.
final class RedactedStatements {
    private struct Table {
        var name: String
        /// Columns of prose.
        var prose: [String]
    }

    private static let tables = [
        Table(name: "session", prose: ["arguments"]),
        Table(name: "event", prose: ["detail"]),
        Table(name: "fault_statement", prose: ["action", "scope"]),
        Table(name: "finding_statement", prose: ["message", "expected"]),
        Table(name: "undecided_statement", prose: ["message", "expected"]),
        Table(name: "mark", prose: ["name"]),
    ]

    private let db: Connection
    private let schema: String
    private let walk: SecretWalk
    private var moves: [Int64: ChunkMoves] = [:]

    init(_ db: Connection, of schema: String = "source", by walk: SecretWalk) {
        self.db = db
        self.schema = schema
        self.walk = walk
    }

    /// Keeps how places moved.
    func move(_ moves: [Int64: ChunkMoves]) { self.moves.merge(moves) { $1 } }

    /// Scans all rows without writing any.
    func collect() throws { try each { _, _, _ in } }

    /// Writes all rows to the database `main`, and marks each session as redacted.
    func write() throws {
        for table in Self.tables {
            let columns = TableDefinition.recorded.first { $0.name == table.name }
            guard let columns else { continue }
            try db.execute(
                """
                INSERT INTO main.\(table.name)(\(columns.columnList()))
                SELECT \(columns.columns.map { column in
                    table.prose.contains(column.name) ? "''" : "\"\(column.name)\""
                }.joined(separator: ",")) FROM \(schema).\(table.name)
                """)
        }
        try each { table, id, values in
            let list = values.map { "\"\($0.column)\" = ?" }.joined(separator: ",")
            let update = try db.prepare("UPDATE main.\(table) SET \(list) WHERE id = ?")
            for (index, value) in values.enumerated() {
                update.bind(Int32(index + 1), value.text)
            }
            update.bind(Int32(values.count + 1), id)
            try update.run()
        }
        for table in ["fault_statement", "finding_statement", "undecided_statement"] {
            try moveRows(of: table)
        }
        try db.execute(
            """
            INSERT INTO main.mark(id, session_id, at_ns, name)
              SELECT (SELECT coalesce(max(id), 0) FROM \(schema).mark) + id, id, 0,
                '\(SecretWalk.mark)' FROM main.session;
            """)
    }

    private struct Value {
        var column: String
        var text: String
    }

    /// Gives each row, with its words as they are to be written.
    private func each(_ body: (_ table: String, _ id: Int64, [Value]) throws -> Void) throws {
        for table in Self.tables {
            let columns = table.prose.map { "\"\($0)\"" }.joined(separator: ",")
            let rows = try db.prepare(
                "SELECT id, \(columns) FROM \(schema).\(table.name) ORDER BY id")
            while try rows.step() {
                let id = rows.integer(0)
                walk.place = "\(table.name) \(id)"
                let values = table.prose.enumerated().map { index, column in
                    Value(column: column, text: walk.statement(rows.string(1 + Int32(index))))
                }
                try body(table.name, id, values)
            }
        }
        try walk.check()
    }

    private func moveRows(of table: String) throws {
        guard !moves.isEmpty else { return }
        let rows = try db.prepare(
            "SELECT id, chunk_id, \"offset\" FROM \(schema).\(table) WHERE chunk_id IS NOT NULL")
        let move = try db.prepare("UPDATE main.\(table) SET \"offset\" = ? WHERE id = ?")
        while try rows.step() {
            guard let moves = moves[rows.integer(1)] else { continue }
            move.bind(1, moves.nearest(to: Int(rows.integer(2))))
            move.bind(2, rows.integer(0))
            try move.run()
        }
    }
}
