internal import CSQLite
internal import Notation
internal import Platform
internal import Storage
internal import Trace

/// What was shipped of a trace, and what is being shipped: a SQLite file beside it.
///
/// Theory of operation: a batch is written here, and made durable, before its rows are sent, with
/// the numbers of its rows, so that it is cut the same way after a crash; it is marked as done after
/// the server has answered. So each row is in no batch, in one that may be on the server and has to
/// be asked for, or in one that is.
///
/// There is one writer, which holds `flock` on a descriptor that is opened before SQLite opens the
/// file and closed after it, since closing any descriptor drops SQLite's locks.
final class ShippingLedger {
    /// Its path.
    let path: String
    private let db: Connection
    private let descriptor: CInt

    /// The name of the ledger of the trace at `path`.
    static func path(of trace: String) -> String { ShippedBound.ledger(of: trace) }

    private static let applicationID: Int64 = 0x5449_4C53
    private static let version: Int64 = 1

    /// Opens the ledger of the trace at `trace` for its only writer, and creates it where there is
    /// none.
    init(trace: String) throws(FleetError) {
        path = Self.path(of: trace)
        let descriptor = Platform.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw FleetError(
                .storage,
                "\(path) cannot be written: \(String(cString: strerror(errno))); what was shipped is kept there, so make the folder writable"
            )
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            Platform.close(descriptor)
            throw FleetError(
                .usage, "\(trace) is being shipped by another tapedeck; end that first")
        }
        self.descriptor = descriptor
        do {
            db = try Connection(path: path, flags: SQLITE_OPEN_READWRITE)
            try Self.prepare(db, path)
        } catch {
            Platform.close(descriptor)
            throw Self.error(error, path)
        }
    }

    deinit {
        db.close()
        Platform.close(descriptor)
    }

    /// Opens the ledger of the trace at `trace` beside its writer, to be read alone; nil where nothing
    /// was noted yet.
    static func open(toReadOf trace: String) throws(StorageFault) -> Connection? {
        let path = path(of: trace)
        guard access(path, R_OK) == 0 else { return nil }
        let db = try Connection(
            path: "file:" + PercentEncoding.encode(path, keeping: .path) + "?mode=ro",
            flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
        // Empty until its shipper has made its tables, and after it was killed before that.
        guard try db.integer("PRAGMA user_version") > 0 else { return nil }
        try check(db)
        return db
    }

    private static func prepare(_ db: Connection, _ path: String) throws(StorageFault) {
        try db.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        if try db.integer("PRAGMA page_count") <= 1, try db.integer("PRAGMA user_version") == 0 {
            try db.transaction { () throws(StorageFault) in
                try db.execute(schema)
                try db.execute("INSERT INTO fact VALUES ('next_batch', '1')")
                try db.execute(
                    "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
            }
        }
        try check(db)
    }

    private static func check(_ db: Connection) throws(StorageFault) {
        guard try db.integer("PRAGMA application_id") == applicationID,
            try db.integer("PRAGMA user_version") == version
        else {
            throw StorageFault(
                code: SQLITE_NOTADB,
                message: "it is no ledger of this program; move it away to ship the trace anew")
        }
    }

    private static let schema = """
        CREATE TABLE fact(       -- facts about the trace as a whole
          name TEXT PRIMARY KEY, -- recorder, address, started, mode, key, next_batch, ...
          value TEXT NOT NULL    -- the value
        ) STRICT;
        CREATE TABLE label(            -- labels of sessions
          session_id INTEGER NOT NULL, -- the session
          name TEXT NOT NULL,          -- the name
          value TEXT NOT NULL,         -- the value
          PRIMARY KEY (session_id, name)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE unit(       -- what is in no batch yet
          name TEXT PRIMARY KEY, -- the first table of the unit
          open TEXT NOT NULL     -- ranges of numbers that were in no batch
        ) STRICT;
        CREATE TABLE batch(              -- planned, and not known to be on the server
          number INTEGER PRIMARY KEY,    -- its number
          unit TEXT NOT NULL,            -- the unit
          table_name TEXT NOT NULL,      -- the table
          day INTEGER NOT NULL,          -- days since 1970
          numbers TEXT NOT NULL,         -- ranges of numbers of the unit
          rows INTEGER NOT NULL,         -- how many rows
          size INTEGER NOT NULL,         -- bytes of the rows
          checksum TEXT NOT NULL,        -- of the rows as they are sent, a number
          first_session INTEGER NOT NULL,-- the smallest session of its rows
          last_session INTEGER NOT NULL  -- the largest one
        ) STRICT;
        CREATE TABLE total(              -- what the server has
          table_name TEXT PRIMARY KEY,   -- the table
          batches INTEGER NOT NULL,      -- how many batches
          rows INTEGER NOT NULL,         -- how many rows
          size INTEGER NOT NULL,         -- bytes of the rows as they were sent
          done_unix_ns INTEGER NOT NULL  -- when the last batch was done
        ) STRICT;
        """

    /// An error of the file as one of the fleet.
    static func error(_ error: any Error, _ path: String) -> FleetError {
        guard let fault = error as? StorageFault else {
            return error as? FleetError ?? FleetError(.storage, "\(path): \(error)")
        }
        let hint = fault.isDisk ? "; make room on the disk" : ""
        return FleetError(.storage, "\(path) cannot be used: \(fault.message)\(hint)")
    }

    private func mapped<Result>(
        _ body: () throws(StorageFault) -> Result
    ) throws(FleetError) -> Result {
        do {
            return try body()
        } catch {
            throw Self.error(error, path)
        }
    }

    // MARK: Facts and labels

    /// The fact `name`; nil where it is not known.
    func fact(_ name: String) throws(FleetError) -> String? {
        try mapped { () throws(StorageFault) in
            let statement = try db.prepare("SELECT value FROM fact WHERE name = ?")
            statement.bind(1, name)
            return try statement.step() ? statement.string(0) : nil
        }
    }

    /// Notes the fact `name`.
    func set(_ name: String, _ value: String) throws(FleetError) {
        try mapped { () throws(StorageFault) in
            let statement = try db.prepare("INSERT OR REPLACE INTO fact VALUES (?, ?)")
            statement.bind(1, name)
            statement.bind(2, value)
            try statement.run()
        }
    }

    /// The labels of `session`, in the order of their names.
    func labels(of session: Int64) throws(FleetError) -> [Label] {
        try mapped { () throws(StorageFault) in
            let statement = try db.prepare(
                "SELECT name, value FROM label WHERE session_id = ? ORDER BY name")
            statement.bind(1, session)
            var labels: [Label] = []
            while try statement.step() {
                labels.append(Label(name: statement.string(0), value: statement.string(1)))
            }
            return labels
        }
    }

    /// Gives `session` labels, unless it has been shipped or has some.
    func label(_ session: Int64, _ labels: [Label]) throws(FleetError) {
        try mapped { () throws(StorageFault) in
            try db.transaction { () throws(StorageFault) in
                let statement = try db.prepare("INSERT OR IGNORE INTO label VALUES (?, ?, ?)")
                for label in labels {
                    statement.bind(1, session)
                    statement.bind(2, label.name)
                    statement.bind(3, label.value)
                    try statement.run()
                }
            }
        }
    }

    // MARK: Units and batches

    /// The numbers of a unit that are in no batch.
    func openNumbers(of unit: String) throws(FleetError) -> NumberRanges {
        try mapped { () throws(StorageFault) in
            let statement = try db.prepare("SELECT open FROM unit WHERE name = ?")
            statement.bind(1, unit)
            guard try statement.step() else { return NumberRanges(1...Int64.max) }
            return NumberRanges(statement.string(0)) ?? NumberRanges(1...Int64.max)
        }
    }

    /// The number of the next batch.
    func nextBatch() throws(FleetError) -> Int64 {
        try mapped { () throws(StorageFault) in
            try db.integer("SELECT value FROM fact WHERE name = 'next_batch'")
        }
    }

    /// Writes batches before they are sent, and which numbers of their unit are open afterwards.
    func plan(_ batches: [Batch], unit: String, open: NumberRanges) throws(FleetError) {
        try mapped { () throws(StorageFault) in
            try db.transaction { () throws(StorageFault) in
                let insertion = try db.prepare(
                    "INSERT INTO batch VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
                for batch in batches {
                    insertion.bind(1, batch.number)
                    insertion.bind(2, batch.unit)
                    insertion.bind(3, batch.table)
                    insertion.bind(4, batch.day)
                    insertion.bind(5, batch.numbers.description)
                    insertion.bind(6, batch.rows)
                    insertion.bind(7, batch.size)
                    insertion.bind(8, String(batch.checksum))
                    insertion.bind(9, batch.sessions.lowerBound)
                    insertion.bind(10, batch.sessions.upperBound)
                    try insertion.run()
                }
                let update = try db.prepare("INSERT OR REPLACE INTO unit VALUES (?, ?)")
                update.bind(1, unit)
                update.bind(2, open.description)
                try update.run()
                guard let last = batches.map(\.number).max() else { return }
                let next = try db.prepare(
                    "UPDATE fact SET value = ? WHERE name = 'next_batch'")
                next.bind(1, String(last + 1))
                try next.run()
            }
        }
    }

    /// Batches that were planned and of which it is not known that the server has them, in order.
    func openBatches() throws(FleetError) -> [Batch] {
        try mapped { () throws(StorageFault) in
            let statement = try db.prepare(
                "SELECT * FROM batch ORDER BY number")
            var batches: [Batch] = []
            while try statement.step() { batches.append(Self.batch(statement)) }
            return batches
        }
    }

    private static func batch(_ row: Statement) -> Batch {
        let first = row.integer(8)
        return Batch(
            number: row.integer(0), unit: row.string(1), table: row.string(2),
            day: Int(row.integer(3)), numbers: NumberRanges(row.string(4)) ?? NumberRanges(),
            rows: row.integer(5), size: row.integer(6),
            checksum: UInt64(row.string(7)) ?? 0,
            sessions: first...max(first, row.integer(9)))
    }

    /// Notes that the server has a batch.
    func finish(_ batch: Batch, unixNanoseconds: Int64) throws(FleetError) {
        try mapped { () throws(StorageFault) in
            try db.transaction { () throws(StorageFault) in
                let removal = try db.prepare("DELETE FROM batch WHERE number = ?")
                removal.bind(1, batch.number)
                try removal.run()
                let total = try db.prepare(
                    """
                    INSERT INTO total VALUES (?, 1, ?, ?, ?) ON CONFLICT(table_name) DO UPDATE SET
                    batches = batches + 1, rows = rows + excluded.rows, size = size + excluded.size,
                    done_unix_ns = excluded.done_unix_ns
                    """)
                total.bind(1, batch.table)
                total.bind(2, batch.rows)
                total.bind(3, batch.size)
                total.bind(4, unixNanoseconds)
                try total.run()
            }
        }
    }
}
