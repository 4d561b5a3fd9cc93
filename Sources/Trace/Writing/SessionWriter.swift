internal import Dissection
internal import Storage
internal import Wire

/// Writes the rows of one session, batch by batch, each in a separate transaction.
final class SessionWriter {
    let db: Connection
    let session: Int64
    private(set) var position: WritePosition
    private let truth: TruthStatements
    private let derived: DerivedStatements
    private let faults: FaultPlaces
    private let counter: Statement
    /// The numbers that the table `counter` has of this writer.
    private var stored = Counters()
    /// Whether the index that only faults need is there.
    private var hasIndexForFaults = false

    /// Goes on writing `session` at `position`.
    init(_ db: Connection, session: Int64, at position: WritePosition) throws(StorageFault) {
        self.db = db
        self.session = session
        self.position = position
        truth = try TruthStatements(db)
        derived = try DerivedStatements(db)
        faults = try FaultPlaces(db)
        counter = try db.prepare(
            "INSERT INTO counter VALUES (?, ?) ON CONFLICT(name) DO UPDATE SET next = excluded.next"
        )
    }

    /// Begins a session in `db`.
    ///
    /// `mark` was left by the last session if it was killed while nothing could be written.
    convenience init(
        beginning start: SessionStart, in db: Connection, after mark: Reserve.Mark? = nil
    ) throws(StorageFault) {
        let position = try WritePosition(from: db)
        try self.init(db, session: position.counters.session, at: position)
        if let mark { try lose(mark) }
        try begin(start, at: self.position)
    }

    /// Continues a session at `position` in another file, which does not have it yet.
    convenience init(
        movingTo db: Connection, _ start: SessionStart, session: Int64, at position: WritePosition
    ) throws(StorageFault) {
        try self.init(db, session: session, at: position)
        // It has none of the rows that the numbers follow from.
        try begin(start, at: position, storesNumbers: true)
    }

    /// Records that an unknown number of bytes of the last session are missing.
    private func lose(_ mark: Reserve.Mark) throws(StorageFault) {
        let last = try db.prepare(
            """
            SELECT id, max(0, ?1 - started_unix_ns) FROM session s
            WHERE id = (SELECT max(id) FROM session) AND NOT EXISTS (
              SELECT 1 FROM event e WHERE e.session_id = s.id AND e.kind = 'session-ended')
            """)
        last.bind(1, mark.sinceUnix)
        guard try last.step() else { return }
        let at = Instant(nanoseconds: last.integer(1))
        let session = last.integer(0)
        last.reset()
        try transaction { position throws(StorageFault) in
            var places: ArraySlice<ChunkID?> = []
            try truth.write(
                .gap(.unknown(mark.reason, at: at)), session: session, places: &places,
                at: &position)
            try truth.flush()
        }
    }

    private func begin(
        _ start: SessionStart, at position: WritePosition, storesNumbers: Bool = false
    ) throws(StorageFault) {
        let insert = try Insertion(Tables.session, db)
        try db.transaction { () throws(StorageFault) in
            try insert.run(start, RowContext(session: session))
            var next = position
            next.counters.session = session + 1
            if storesNumbers { try store(next.counters) }
            self.position = next
        }
        if storesNumbers { stored = self.position.counters }
    }

    /// Records that the oldest chunks are evicted while this writes.
    func expectEviction() { derived.mayLackChunks = true }

    /// Rows that decoding numbered twice and that were left out therefore.
    var leftOut: Int64 { derived.leftOut }

    /// The number that the next chunk will get.
    var nextChunk: Int64 { position.counters.chunk }

    /// Writes all of `batch` or, where this throws, nothing of it.
    ///
    /// `indexer` and `keys` are notified of the rows in the same transaction, in which the row of the
    /// gap `known` is deleted, since others say now how much is missing.
    func commit(
        _ batch: Batch, dissector numbers: DissectorNumbers = DissectorNumbers(),
        indexer: SearchIndexer? = nil, keys: ChangeKeyIndexer? = nil, forgetting known: Int64? = nil
    ) throws(StorageFault) {
        var isIndexed = hasIndexForFaults
        let order = batch.rows.insertionOrder
        try transaction(deletes: known != nil) { position throws(StorageFault) in
            if let known { try db.execute("DELETE FROM gap WHERE id = \(known)") }
            var places = try faults.places(in: batch.records, from: position.counters.chunk)
            if !places.isEmpty, !hasIndexForFaults {
                try db.execute(Schema.indexForFaults)
                isIndexed = true
            }
            // By spans: rows are large, and are not copied to be looked at.
            let (records, rows) = (batch.records.span, batch.rows.span)
            for index in records.indices {
                try truth.write(records[index], session: session, places: &places, at: &position)
            }
            try truth.flush()
            for place in order {
                try derived.write(rows[place], session: session, at: &position)
                try indexer?.noteWritten(rows[place])
                try keys?.noteWritten(rows[place])
            }
            try derived.flush()
            // A number that was assigned to a later row counts as used as well.
            position.counters.exchange = max(position.counters.exchange, numbers.exchange)
            position.counters.message = max(position.counters.message, numbers.message)
            position.counters.command = max(position.counters.command, numbers.command)
        }
        hasIndexForFaults = isIndexed
    }

    /// Does all of `body` in one transaction or, where it throws, nothing of it.
    ///
    /// With `deletes` it may delete rows that have numbers: those after them are stored then. All
    /// others follow from the rows, and to store them would be a page of the log for each commit.
    func transaction(
        deletes: Bool = false, _ body: (inout WritePosition) throws(StorageFault) -> Void
    )
        throws(StorageFault)
    {
        let before = position
        do {
            try db.transaction { () throws(StorageFault) in
                try body(&position)
                if deletes { try store(position.counters) }
            }
        } catch {
            position = before
            truth.discard()
            derived.discard()
            throw error
        }
        if deletes { stored = position.counters }
    }

    /// Stores the numbers that changed since the last time.
    private func store(_ counters: Counters) throws(StorageFault) {
        for (name, next) in Counters.all where counters[keyPath: next] != stored[keyPath: next] {
            counter.bind(1, name)
            counter.bind(2, counters[keyPath: next])
            try counter.run()
        }
    }
}
