internal import Storage
internal import Trace

/// The rows of a trace in the order of a recording, one at a time.
///
/// What was seen is in the order in which it was written. What was stated is before the first later
/// row of the same session, so that it is where a reader expects it.
final class Timeline {
    /// A row of a table.
    struct Row {
        var table: TableDefinition
        var values: [StoredValue]
        /// Rows of `patch`, for a chunk.
        var patches: [[StoredValue]] = []
        /// Rows of `delivery`, for a chunk.
        var deliveries: [[StoredValue]] = []

        /// The number in the column `name`; 0 where there is none.
        func number(_ name: String) -> Int64 {
            table.index(name).flatMap { values[$0].number } ?? 0
        }

        /// What it is, as text.
        var name: String { "\(table.name) \(values.first?.number ?? 0)" }
    }

    /// The rows of one table in order, with the next one at hand.
    private struct Source {
        let table: TableDefinition
        let statement: Statement
        /// Session and time, or chunk and step, of the next row; nil after the last.
        var key: (Int64, Int64)?

        init(_ table: TableDefinition, _ sql: String, _ db: Connection) throws(StorageFault) {
            self.table = table
            statement = try db.prepare(sql)
            try advance()
        }

        /// Goes to the next row; the two columns after those of the table are its key.
        mutating func advance() throws(StorageFault) {
            let column = Int32(table.columns.count)
            key =
                try statement.step()
                ? (statement.integer(column), statement.integer(column + 1)) : nil
        }

        func values() -> [StoredValue] { statement.values(table) }
    }

    private var seen: [Source]
    private var chunks: Source
    private var stated: [Source]
    private let patches: Statement
    private let deliveries: Statement
    private let sessions: Statement
    private var session: Int64 = 0
    private var connection: Int64 = 0

    /// The rows of all tables; without those that keep packets unless `hasPackets`.
    init(_ db: Connection, hasPackets: Bool = true) throws(StorageFault) {
        func inOrder(
            _ table: TableDefinition, _ condition: String = ""
        ) throws(StorageFault) -> Source {
            try Source(
                table,
                """
                SELECT \(table.columnList()), after_chunk_id, step FROM \(table.name) \(condition)
                ORDER BY after_chunk_id, step, id
                """, db)
        }
        func byTime(
            _ table: TableDefinition, _ condition: String = ""
        ) throws(StorageFault) -> Source {
            try Source(
                table,
                """
                SELECT \(table.columnList()), session_id, at_ns FROM \(table.name) \(condition)
                ORDER BY session_id, at_ns, id
                """, db)
        }
        seen = [
            try inOrder(.connection), try inOrder(.leg), try inOrder(.event),
            // What was evicted later has no place in the order.
            try inOrder(.gap, "WHERE step > 0"),
        ]
        // Of these there are many, and they need no sorting: numbers follow the order of writing.
        for table in hasPackets ? [TableDefinition.secret, .packet] : [] {
            seen.append(
                try Source(
                    table,
                    """
                    SELECT \(table.columnList()), after_chunk_id, step FROM \(table.name)
                    ORDER BY id
                    """, db))
        }
        let chunk = TableDefinition.chunk
        chunks = try Source(
            chunk, "SELECT \(chunk.columnList()), id, 0 FROM chunk ORDER BY id", db)
        let verdict = TableDefinition.verdict
        stated = [
            try byTime(.gap, "WHERE step <= 0"), try byTime(.fault),
            try Source(
                verdict,
                """
                SELECT \(verdict.columnList("v.")), coalesce(f.session_id, 0), coalesce(f.at_ns, 0)
                FROM fault_verdict v LEFT JOIN fault_statement f ON f.id = v.fault_id
                ORDER BY 8, 9, v.fault_id
                """, db),
            try byTime(.finding), try byTime(.undecided), try byTime(.mark),
        ]
        func ofChunk(_ table: TableDefinition) throws(StorageFault) -> Statement {
            try db.prepare(
                """
                SELECT \(table.columnList()) FROM \(table.name)
                WHERE id >= \(Tables.share) * ?1 AND id < \(Tables.share) * (?1 + 1)
                ORDER BY id
                """)
        }
        patches = try ofChunk(.patch)
        deliveries = try ofChunk(.delivery)
        sessions = try db.prepare("SELECT session_id FROM connection WHERE id = ?")
    }

    /// The next row; nil after the last.
    func next() throws(StorageFault) -> Row? {
        let seenIndex = first(seen)
        let isChunk: Bool
        switch (seenIndex.flatMap { seen[$0].key }, chunks.key) {
        case (let place?, let chunk?): isChunk = place.0 >= chunk.0
        case (nil, let chunk): isChunk = chunk != nil
        case (_, nil): isChunk = false
        }
        let ahead = isChunk ? chunks : seenIndex.map { seen[$0] }
        if let index = first(stated), let key = stated[index].key {
            var isEarlier = true
            if let ahead { isEarlier = key < (try time(of: ahead)) }
            if isEarlier {
                let row = Row(table: stated[index].table, values: stated[index].values())
                try stated[index].advance()
                return row
            }
        }
        guard let ahead else { return nil }
        var row = Row(table: ahead.table, values: ahead.values())
        if isChunk {
            patches.bind(1, row.values[0].number ?? 0)
            while try patches.step() { row.patches.append(patches.values(.patch)) }
            deliveries.bind(1, row.values[0].number ?? 0)
            while try deliveries.step() { row.deliveries.append(deliveries.values(.delivery)) }
            try chunks.advance()
        } else if let seenIndex {
            try seen[seenIndex].advance()
        }
        return row
    }

    /// The source whose next row has the lowest key, the first of several.
    private func first(_ sources: [Source]) -> Int? {
        var found: Int?
        for (index, source) in sources.enumerated() {
            guard let key = source.key else { continue }
            if let best = found.flatMap({ sources[$0].key }), best <= key { continue }
            found = index
        }
        return found
    }

    /// Session and time of the row at hand.
    private func time(of source: Source) throws(StorageFault) -> (Int64, Int64) {
        func number(_ name: String) -> Int64? {
            source.table.index(name).map { source.statement.integer(Int32($0)) }
        }
        if let own = number("session_id") {
            session = own
        } else if let owner = number("connection_id"), owner != connection {
            sessions.bind(1, owner)
            if try sessions.step() { session = sessions.integer(0) }
            sessions.reset()
            connection = owner
        }
        return (session, number("at_ns") ?? 0)
    }
}

extension Statement {
    /// The first columns of the row as those of `table`.
    func values(_ table: TableDefinition) -> [StoredValue] {
        table.columns.enumerated().map { index, column in
            let place = Int32(index)
            if isNull(place) { return .null }
            switch column.content {
            case .number, .word: return .number(integer(place))
            case .text: return .text(bytes(place))
            case .bytes: return .bytes(bytes(place))
            }
        }
    }

    /// Binds the values of a row of any table.
    func bind(_ values: [StoredValue]) {
        for (index, value) in values.enumerated() {
            let place = Int32(index + 1)
            switch value {
            case .null: bindNull(place)
            case .number(let number): bind(place, number)
            case .text(let bytes): bind(place, copying: bytes, asText: true)
            case .bytes(let bytes): bind(place, copying: bytes, asText: false)
            }
        }
    }
}
