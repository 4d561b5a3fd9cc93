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
    private let patches: Statement
    private let deliveries: Statement
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
        patches = try db.prepare(Schema.patchesOfChunk)
        deliveries = try db.prepare(Schema.deliveriesOfChunk)
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
        patches.bind(1, id)
        while try patches.step() { chunk.patches.append(Tables.patch.row(patches)) }
        deliveries.bind(1, id)
        while try deliveries.step() { chunk.deliveries.append(Tables.delivery.row(deliveries)) }
        nextChunk = try chunks.step() ? chunks.integer(0) : nil
        return Entry(chunk: ChunkID(id), record: .chunk(chunk))
    }
}
