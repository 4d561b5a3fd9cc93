internal import Dissection
internal import Storage
internal import Wire

/// Writes the rows of one session, batch by batch, each in a transaction of its own.
final class SessionWriter {
    let db: Connection
    let session: Int64
    private(set) var position: WritePosition
    private let truth: TruthStatements
    private let derived: DerivedStatements
    private let faults: FaultPlaces
    private let counter: Statement
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
    convenience init(beginning start: SessionStart, in db: Connection) throws(StorageFault) {
        let position = try WritePosition(from: db)
        try self.init(db, session: position.counters.session, at: position)
        let insert = try db.prepare("INSERT INTO session VALUES (?,?,?,?,?,?)")
        try db.transaction { () throws(StorageFault) in
            insert.bind(1, session)
            insert.bind(2, start.startedUnixNanoseconds)
            insert.bind(3, start.provenance.rawValue)
            insert.bind(4, start.version)
            insert.bind(5, start.arguments)
            insert.bind(6, start.seed.map { String($0) })
            try insert.run()
            var next = position
            next.counters.session += 1
            try store(next.counters)
            self.position = next
        }
    }

    /// Rows that decoding numbered twice and that were left out therefore.
    var leftOut: Int64 { derived.leftOut }

    /// The number that the next chunk will get.
    var nextChunk: Int64 { position.counters.chunk }

    /// Writes all of `batch` or, where this throws, nothing of it.
    ///
    /// `indexer` is told of the rows in the same transaction.
    func commit(
        _ batch: Batch, dissector numbers: DissectorNumbers, indexer: SearchIndexer? = nil
    ) throws(StorageFault) {
        var isIndexed = hasIndexForFaults
        try transaction { position throws(StorageFault) in
            var places = try faults.places(in: batch.records, from: position.counters.chunk)
            if !places.isEmpty, !hasIndexForFaults {
                try db.execute(Schema.indexForFaults)
                isIndexed = true
            }
            for record in batch.records {
                try truth.write(record, session: session, places: &places, at: &position)
            }
            for row in batch.rows { try derived.write(row, session: session, at: &position) }
            try indexer?.noteWritten(batch.rows)
            // A number that was given to a row which is still to come is taken as well.
            position.counters.exchange = max(position.counters.exchange, numbers.exchange)
            position.counters.message = max(position.counters.message, numbers.message)
            position.counters.command = max(position.counters.command, numbers.command)
        }
        hasIndexForFaults = isIndexed
    }

    /// Does all of `body` in one transaction or, where it throws, nothing of it.
    func transaction(
        _ body: (inout WritePosition) throws(StorageFault) -> Void
    )
        throws(StorageFault)
    {
        let before = position
        do {
            try db.transaction { () throws(StorageFault) in
                try body(&position)
                try store(position.counters, unlike: before.counters)
            }
        } catch {
            position = before
            throw error
        }
    }

    /// Stores the numbers that changed.
    private func store(
        _ counters: Counters, unlike before: Counters = Counters()
    )
        throws(StorageFault)
    {
        for (name, next) in Counters.all where counters[keyPath: next] != before[keyPath: next] {
            counter.bind(1, name)
            counter.bind(2, counters[keyPath: next])
            try counter.run()
        }
    }
}
