internal import Storage
internal import Trace
internal import Wire

/// The rows of a trace with texts that may quote bytes: sessions, events, faults, findings and
/// marks.
final class RedactedStatements {
    private struct Table {
        var name: String
        /// Columns of prose.
        var prose: [String]
        /// Columns of bytes.
        var quoted: [String] = []
    }

    private static let tables = [
        Table(name: "session", prose: ["arguments"]),
        Table(name: "event", prose: ["detail"]),
        Table(
            name: "fault_statement", prose: ["action", "scope"], quoted: ["came", "sent"]),
        Table(name: "finding_statement", prose: ["message", "expected"]),
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
                    table.prose.contains(column.name) ? "''"
                        : table.quoted.contains(column.name) ? "x''" : "\"\(column.name)\""
                }.joined(separator: ",")) FROM \(schema).\(table.name)
                """)
        }
        try each { table, id, values in
            let list = values.map { "\"\($0.column)\" = ?" }.joined(separator: ",")
            let update = try db.prepare("UPDATE main.\(table) SET \(list) WHERE id = ?")
            for (index, value) in values.enumerated() {
                update.bind(Int32(index + 1), copying: value.bytes, asText: value.isText)
            }
            update.bind(Int32(values.count + 1), id)
            try update.run()
        }
        for table in ["fault_statement", "finding_statement"] { try moveRows(of: table) }
        try db.execute(
            """
            INSERT INTO main.mark(id, session_id, at_ns, name)
              SELECT (SELECT coalesce(max(id), 0) FROM \(schema).mark) + id, id, 0,
                '\(SecretWalk.mark)' FROM main.session;
            INSERT OR REPLACE INTO main.counter SELECT 'mark', max(id) + 1 FROM main.mark
              HAVING count(*) > 0;
            """)
    }

    private struct Value {
        var column: String
        var bytes: [UInt8]
        var isText: Bool
    }

    /// Gives each row, with its words and quotations as they are to be written.
    private func each(_ body: (_ table: String, _ id: Int64, [Value]) throws -> Void) throws {
        for table in Self.tables {
            let columns = table.prose + table.quoted
            let isFault = table.name == "fault_statement"
            let extra = isFault ? ", connection_id, sender" : ""
            let rows = try db.prepare(
                "SELECT id\(extra), \(columns.map { "\"\($0)\"" }.joined(separator: ",")) FROM \(schema).\(table.name) ORDER BY id"
            )
            while try rows.step() {
                let id = rows.integer(0)
                walk.place = "\(table.name) \(id)"
                let first: Int32 = isFault ? 3 : 1
                let values = columns.enumerated().map { index, column in
                    let place = first + Int32(index)
                    guard table.quoted.contains(column) else {
                        let text = walk.statement(rows.string(place))
                        return Value(column: column, bytes: Array(text.utf8), isText: true)
                    }
                    var bytes = rows.bytes(place)
                    let sender = rows.optionalInteger(2).map { $0 == 0 ? Peer.client : .server }
                    walk.evidence(&bytes, from: sender, over: rows.optionalInteger(1))
                    return Value(column: column, bytes: bytes, isText: false)
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
