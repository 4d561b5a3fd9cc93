internal import Dissection
internal import Storage
internal import Wire

/// Drops all decoded rows of a trace and builds them again from the recorded bytes.
///
/// With the same version of the program the rows are the same, numbers included. Connections of
/// which bytes were evicted keep their rows, since their bytes are missing. All or nothing: a
/// rebuild that is stopped leaves the trace as it was.
public enum Rebuild {
    /// The result of a rebuild.
    public struct Outcome: Hashable, Sendable {
        /// Exchanges in the trace.
        public var exchanges: Int64 = 0
        /// WebSocket messages in the trace.
        public var messages: Int64 = 0
        /// Simperium commands in the trace.
        public var commands: Int64 = 0
        /// Connections whose rows were left as they are.
        public var kept: Int64 = 0
    }

    /// Rebuilds the trace at `path`, which no other program may be writing.
    ///
    /// - Parameters:
    ///   - path: The trace.
    ///   - progress: Receives the progress now and then, in 0...1.
    /// - Returns: The counts of the rebuilt trace.
    /// - Throws: ``TraceError`` where there is no such trace, it is being written, or the disk is
    ///   full.
    @discardableResult public static func run(
        path: String, progress: (Double) -> Void = { _ in }
    ) throws(TraceError) -> Outcome {
        let file = try TraceFile(path: path, mustExist: true)
        defer { file.close() }
        do {
            let db = file.connection
            var kept: Set<Int64> = []
            var search: SearchBuilder?
            // What is deleted is made again of what stays: to write zeros over its pages first
            // would write them twice.
            try db.execute("PRAGMA secure_delete = FAST")
            file.moveLogBehindCommits(many: nil)
            try db.transaction { () throws(StorageFault) in
                kept = try keptConnections(db)
                // It knows no rows but those that are written again.
                if kept.isEmpty { search = SearchBuilder(beside: path) }
                try rebuild(db, path: path, kept: kept, into: search, progress: progress)
            }
            file.beginMovingLog()
            let keys = try ChangeKeyIndexer(db)
            while try keys.slice(isEnd: true, until: { false }) {}
            try search?.publish()
            search = nil
            let indexer = try SearchIndexer(db)
            while !indexer.isDone {
                var rows = 0
                _ = try indexer.slice {
                    rows += 1
                    return rows > Self.indexedAtOnce
                }
                _ = file.tendLog()
                progress(0.8 + 0.2 * (try indexer.share()))
            }
            try db.execute("DROP TABLE IF EXISTS temp.old_exchange")
            try file.settle()
            return Outcome(
                exchanges: try db.integer("SELECT count(*) FROM any_exchange"),
                messages: try db.integer("SELECT count(*) FROM any_message"),
                commands: try db.integer("SELECT count(*) FROM any_command"),
                kept: Int64(kept.count))
        } catch {
            throw error.traceError(at: path)
        }
    }

    /// Rows that are indexed in one transaction: of many small ones each moves the log and waits for
    /// the disk.
    private static let indexedAtOnce = 50_000

    private static func keptConnections(_ db: Connection) throws(StorageFault) -> Set<Int64> {
        let statement = try db.prepare(
            """
            SELECT DISTINCT connection_id FROM gap
            WHERE reason = 'evicted' AND connection_id IS NOT NULL
            """)
        var kept: Set<Int64> = []
        while try statement.step() { kept.insert(statement.integer(0)) }
        return kept
    }

    private static func rebuild(
        _ db: Connection, path: String, kept: Set<Int64>, into search: SearchBuilder?,
        progress: (Double) -> Void
    ) throws(StorageFault) {
        let counters = try Counters(from: db)
        let old = try hasHoles(db, counters) ? OldNumbers(db, free: counters) : nil
        try clear(db, kept: kept)
        let derived = try DerivedStatements(db)
        var position = WritePosition()
        func write(_ row: DerivedRow, _ session: Int64) throws(StorageFault) {
            try derived.write(row, session: session, at: &position)
            search?.add(row)
        }
        func write(_ batch: DecodedTruth.Batch) throws(StorageFault) {
            guard let old else {
                for row in batch.rows { try write(row, batch.session) }
                return
            }
            try old.renumber(batch.rows) { row, note throws(StorageFault) in
                if case .note = row { position.counters.note = note }
                try write(row, batch.session)
            }
        }
        // The rows are decoded on a thread of their own, from the trace as it was.
        let decoded = DecodedTruth(path: path, leavingOut: kept, flushesAlways: old != nil)
        defer { decoded.drop() }
        var numbers = DissectorNumbers()
        while let batch = try decoded.next() {
            try write(batch)
            numbers = batch.numbers
            guard let chunk = batch.last else { continue }
            progress(0.8 * Double(chunk.rawValue) / Double(max(1, counters.chunk)))
        }
        try derived.flush()
        try store(old?.counters ?? position.counters, numbers, atLeast: counters, in: db)
        try Schema.indexStatements(db, isRenumbered: old != nil)
    }

    /// Whether decoding everything from 1 on would give other numbers than the rows have.
    private static func hasHoles(
        _ db: Connection, _ counters: Counters
    ) throws(StorageFault)
        -> Bool
    {
        for (table, next) in [
            ("any_exchange", counters.exchange), ("any_message", counters.message),
            ("any_command", counters.command), ("note", counters.note),
        ] where try db.integer("SELECT count(*) FROM \(table)") != next - 1 {
            return true
        }
        return false
    }

    /// Deletes what is to be made again.
    private static func clear(_ db: Connection, kept: Set<Int64>) throws(StorageFault) {
        if kept.isEmpty {
            for table in [
                "any_exchange", "http_body", "part", "openrosa", "case_block", "frame",
                "any_message", "any_command", "any_change", "change_key", "note",
            ] {
                try db.execute("DELETE FROM \(table)")
            }
            // An older program may have made others of the same names.
            for index in Schema.derivedTables.flatMap(\.indexes) {
                try db.execute("DROP INDEX IF EXISTS \(index.name); \(index.sql)")
            }
        } else {
            let connections = kept.map(String.init).joined(separator: ",")
            try db.execute(
                """
                CREATE TEMP TABLE kept AS SELECT id FROM connection WHERE id IN (\(connections));
                DELETE FROM any_change WHERE command_id NOT IN (SELECT id FROM any_command
                  WHERE connection_id IN (SELECT id FROM kept));
                DELETE FROM change_key;
                DELETE FROM any_command WHERE connection_id NOT IN (SELECT id FROM kept);
                DELETE FROM frame WHERE connection_id NOT IN (SELECT id FROM kept);
                DELETE FROM any_message WHERE connection_id NOT IN (SELECT id FROM kept);
                DELETE FROM note WHERE connection_id NOT IN (SELECT id FROM kept);
                DELETE FROM any_exchange WHERE connection_id NOT IN (SELECT id FROM kept);
                DELETE FROM http_body WHERE exchange_id NOT IN (SELECT id FROM any_exchange);
                DELETE FROM part WHERE exchange_id NOT IN (SELECT id FROM any_exchange);
                DELETE FROM openrosa WHERE exchange_id NOT IN (SELECT id FROM any_exchange);
                DELETE FROM case_block WHERE exchange_id NOT IN (SELECT id FROM any_exchange);
                DROP TABLE temp.kept;
                """)
        }
        // Rows that are kept are those of the decoder that made them.
        if kept.isEmpty { try db.execute(Schema.thisDecoder) }
        try db.execute(
            """
            INSERT INTO search(search) VALUES ('delete-all');
            DELETE FROM progress;
            DELETE FROM late;
            """)
    }

    /// Stores the next free numbers that do not follow from the rows; a used number is never free
    /// again.
    private static func store(
        _ counters: Counters, _ numbers: DissectorNumbers, atLeast before: Counters,
        in db: Connection
    ) throws(StorageFault) {
        let known = try Counters(from: db)
        let store = try db.prepare("INSERT OR REPLACE INTO counter VALUES (?2, ?1)")
        for (name, next, known) in [
            (
                "exchange", max(before.exchange, counters.exchange, numbers.exchange),
                known.exchange
            ),
            ("message", max(before.message, counters.message, numbers.message), known.message),
            ("command", max(before.command, counters.command, numbers.command), known.command),
            ("note", max(before.note, counters.note), known.note),
        ] where next > known {
            store.bind(1, next)
            store.bind(2, name)
            try store.run()
        }
    }
}
