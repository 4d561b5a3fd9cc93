internal import CSQLite

/// One connection to a SQLite database, for one thread at a time.
///
/// Thin on purpose: rows go in and out as bytes through prepared statements, without `Data`,
/// without boxing each value, and every failure keeps its extended code, on which the handling of
/// a full disk depends.
package final class Connection {
    package private(set) var handle: OpaquePointer?
    /// The open statements of this program; full-text search has its own.
    private var statements: Set<OpaquePointer> = []

    /// Units of work since the last row, counted once ``limitWork(units:)`` was called.
    var work: Int64 = 0
    /// Units of work after which a statement without a row is ended.
    var maxWork = Int64.max

    /// Number of tables in memory that were named.
    private var namedTables = 0

    /// The name of another table in memory.
    func nameOfTable() -> String {
        namedTables += 1
        return "waiting_\(namedTables)"
    }

    /// Whether SQLite took the settings of the process.
    private static let isConfigured = tapedeck_sqlite_keep_no_account() == SQLITE_OK

    /// Opens `path`, or a `file:` URI where `flags` has `SQLITE_OPEN_URI`.
    ///
    /// `flags` are as `sqlite3_open_v2` takes them.
    package init(path: String, flags: Int32) throws(StorageFault) {
        _ = Self.isConfigured
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(
            path, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let opened else {
            let message =
                opened.map { String(cString: sqlite3_errmsg($0)) } ?? "SQLite cannot start"
            sqlite3_close_v2(opened)
            throw StorageFault(code: code, message: message)
        }
        handle = opened
        restrict()
        // Long enough for a checkpoint of another program, short enough to be noticed.
        waitForLocks(milliseconds: 5_000)
    }

    /// How long a statement waits for a lock of another connection, 0 for no wait.
    package func waitForLocks(milliseconds: Int32) {
        if let handle { sqlite3_busy_timeout(handle, milliseconds) }
    }

    deinit { close() }

    /// Closes the connection; statements that are still about become useless.
    package func close() {
        guard let opened = handle else { return }
        handle = nil
        for statement in statements { sqlite3_finalize(statement) }
        statements = []
        sqlite3_close_v2(opened)
    }

    /// The last failure of this connection.
    package func fault(_ code: Int32) -> StorageFault {
        guard let handle else { return StorageFault(code: code, message: "the trace is closed") }
        return StorageFault(code: code, message: String(cString: sqlite3_errmsg(handle)))
    }

    /// Runs all statements in `sql`, rows unseen.
    package func execute(_ sql: String) throws(StorageFault) {
        beginsStep()
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw fault(code) }
    }

    /// A statement begins to work towards its next row.
    func beginsStep() { work = 0 }

    /// Compiles one statement for many uses.
    package func prepare(_ sql: String) throws(StorageFault) -> Statement {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(
            handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw fault(code) }
        statements.insert(prepared)
        return Statement(prepared, of: self)
    }

    /// Frees an unused statement.
    package func finalize(_ statement: OpaquePointer) {
        // A closed connection has freed its statements.
        guard statements.remove(statement) != nil else { return }
        sqlite3_finalize(statement)
    }

    /// The first column of the first row of `sql` as a number, 0 without a row.
    package func integer(_ sql: String) throws(StorageFault) -> Int64 {
        let statement = try prepare(sql)
        return try statement.step() ? statement.integer(0) : 0
    }

    /// The first column of the first row of `sql` as text, nil without a row.
    package func text(_ sql: String) throws(StorageFault) -> String? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.string(0) : nil
    }

    /// Whether no transaction is open; SQLite rolls one back itself after some failures.
    package var isIdle: Bool { handle.map { sqlite3_get_autocommit($0) != 0 } ?? true }

    /// Rows changed by the statement that ran last.
    package var changes: Int64 { handle.map { sqlite3_changes64($0) } ?? 0 }

    /// Runs `body` in a transaction that is rolled back if it fails.
    ///
    /// What only reads (`BEGIN`) joins a transaction that is in progress.
    package func transaction<Result>(
        _ begin: String = "BEGIN IMMEDIATE", _ body: () throws(StorageFault) -> Result
    ) throws(StorageFault) -> Result {
        if begin == "BEGIN", !isIdle { return try body() }
        try execute(begin)
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    /// Ends the transaction in progress, if one is, without a trace of it.
    package func rollBack() {
        // A failure here is the one that led here, which is reported already.
        if !isIdle { try? execute("ROLLBACK") }
    }

    // MARK: The write-ahead log

    /// Frames of the write-ahead log as of the last commit, once ``watchLog()`` was called.
    package private(set) var logFrames: Int64 = 0

    /// Keeps commits from moving the log into the file, and counts its frames instead.
    package func watchLog() {
        guard let handle else { return }
        sqlite3_wal_hook(
            handle,
            { connection, _, _, frames in
                guard let connection else { return SQLITE_OK }
                Unmanaged<Connection>.fromOpaque(connection).takeUnretainedValue().logFrames =
                    Int64(frames)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Prevents the close of the connection from deleting the log by its name, where there may be
    /// another.
    package func keepLog() {
        guard let handle else { return }
        var isKept: Int32 = 1
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &isKept)
    }

    /// Copies as much of the log into the file as readers allow, without waiting.
    ///
    /// With `restarts`, the next commit restarts the log; this fails where a reader or a writer is
    /// in the way.
    package func checkpoint(restarts: Bool = false) throws(StorageFault) -> LogState {
        guard let handle else { throw fault(SQLITE_MISUSE) }
        var frames: Int32 = 0
        var moved: Int32 = 0
        let mode = restarts ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_PASSIVE
        let code = sqlite3_wal_checkpoint_v2(handle, "main", mode, &frames, &moved)
        guard code == SQLITE_OK else { throw fault(code) }
        return LogState(frames: Int64(max(0, frames)), moved: Int64(max(0, moved)))
    }
}

/// How far the write-ahead log was moved into the file.
package struct LogState: Hashable, Sendable {
    /// Frames in the log when it began to be moved.
    package var frames: Int64
    /// Frames that are in the file as well.
    package var moved: Int64

    /// A log of so many frames.
    package init(frames: Int64, moved: Int64) {
        self.frames = frames
        self.moved = moved
    }

    /// Whether a reader that began long ago keeps a part from being moved.
    package var isHeld: Bool { moved < frames }
}
