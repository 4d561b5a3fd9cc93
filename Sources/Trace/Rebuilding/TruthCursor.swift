internal import Storage
internal import Wire

/// Returns the records of a trace in the order in which they were written.
final class TruthCursor {
    /// A record as stored.
    struct Entry {
        /// The session, where the row has it.
        var session: Int64?
        /// Number of the chunk, if it is one.
        var chunk: ChunkID?
        var record: Record
    }

    private let chunks: Statement
    private let patches: RowsOfChunks<Patch>
    private let deliveries: RowsOfChunks<Delivery>
    private let others: [Statement]
    private let make: [(Statement) -> Entry]
    private var nextChunk: Int64?
    /// After which chunk, and at which step there, the next row of each other table comes.
    private var places: [(chunk: Int64, step: Int64)?]

    /// A cursor before the first record.
    ///
    /// Gaps of later evictions are left out: they have no place in the order.
    init(_ db: Connection) throws(StorageFault) {
        chunks = try db.prepare("SELECT * FROM chunk ORDER BY id")
        patches = try RowsOfChunks(db, "patch", Tables.patch)
        deliveries = try RowsOfChunks(db, "delivery", Tables.delivery)
        others = [
            try db.prepare("SELECT * FROM connection ORDER BY after_chunk_id, step"),
            try db.prepare("SELECT * FROM leg ORDER BY after_chunk_id, step"),
            try db.prepare("SELECT * FROM event ORDER BY after_chunk_id, step"),
            try db.prepare(
                "SELECT * FROM gap WHERE reason <> 'evicted' ORDER BY after_chunk_id, step"),
        ]
        make = [
            { Entry(session: $0.integer(1), record: .connection(Tables.connection.row($0))) },
            { Entry(record: .leg(Tables.leg.row($0))) },
            { Entry(session: $0.integer(1), record: .event(Tables.event.row($0))) },
            { Entry(session: $0.integer(1), record: .gap(Tables.gap.row($0))) },
        ]
        places = []
        nextChunk = try chunks.step() ? chunks.integer(0) : nil
        for index in others.indices { places.append(try place(index)) }
    }

    /// Columns with `after_chunk_id`, before which `step` comes right after, in each other table.
    private static let placeColumns: [Int32] = [6, 6, 4, 5]

    private func place(_ index: Int) throws(StorageFault) -> (chunk: Int64, step: Int64)? {
        guard try others[index].step() else { return nil }
        let column = Self.placeColumns[index]
        return (others[index].integer(column), others[index].integer(column + 1))
    }

    /// The next record, nil after the last.
    func next() throws(StorageFault) -> Entry? {
        var first: Int?
        for index in others.indices {
            guard let place = places[index] else { continue }
            guard let found = first, let best = places[found] else {
                first = index
                continue
            }
            if place < best { first = index }
        }
        if let first, let place = places[first], place.chunk < nextChunk ?? .max {
            let entry = make[first](others[first])
            places[first] = try self.place(first)
            return entry
        }
        guard let id = nextChunk else { return nil }
        var chunk = Tables.chunk.row(chunks)
        try patches.take(of: id, into: &chunk.patches)
        try deliveries.take(of: id, into: &chunk.deliveries)
        nextChunk = try chunks.step() ? chunks.integer(0) : nil
        return Entry(chunk: ChunkID(id), record: .chunk(chunk))
    }
}

/// The rows of a table of which each belongs to a chunk, read once, in the order of the chunks.
private final class RowsOfChunks<Row: Sendable> {
    private let statement: Statement
    private let table: Table<Row>
    /// The chunk of the row that comes next; nil behind the last.
    private var chunk: Int64?

    init(_ db: Connection, _ name: String, _ table: Table<Row>) throws(StorageFault) {
        self.table = table
        statement = try db.prepare("SELECT * FROM \(name) ORDER BY id")
        try advance()
    }

    private func advance() throws(StorageFault) {
        chunk = try statement.step() ? statement.integer(0) / Tables.share : nil
    }

    /// Takes those of chunk `id`, whose number is above those asked for before.
    func take(of id: Int64, into rows: inout [Row]) throws(StorageFault) {
        while let next = chunk, next <= id {
            if next == id { rows.append(table.row(statement)) }
            try advance()
        }
    }
}
