internal import CSQLite
internal import Platform
internal import Storage
internal import Synchronization

/// The file of a trace while it is written: opened, locked and brought to the current format.
///
/// Two writers would assign the same numbers, so there is one, which holds `flock` on a separate
/// descriptor. That descriptor is opened before SQLite opens the file and closed only
/// after SQLite closed it: closing any descriptor of a file drops all POSIX (`fcntl`) locks that
/// the process has on it, those of SQLite among them, and another process would then take the
/// write-ahead log for abandoned. For the same reason a second writer of the same process is
/// refused before it opens anything.
final class TraceFile {
    let path: String
    let connection: Connection
    private let descriptor: CInt
    private let identity: FileIdentity
    private var isOpen = false
    /// Watches whether the file is still in place.
    let watch: FileWatch
    private var checkpointer: Checkpointer?
    private var schedule = LogSchedule()
    /// Whether the log is moved into the file now and then.
    ///
    /// On a full disk it is not: that would use the space that is reserved for the final rows.
    var movesLog = true

    private static let writing = Mutex<Set<FileIdentity>>([])

    /// Opens the trace at `path` for the only writer, and creates it unless it `mustExist`.
    ///
    /// One that `isUnseen` until it is finished is written without durability, and lost if it is
    /// not finished.
    init(
        path: String, mustExist: Bool = false, isUnseen: Bool = false
    ) throws(TraceError) {
        if let identity = FileIdentity(path: path),
            Self.writing.withLock({ $0.contains(identity) })
        {
            throw Self.taken(path)
        }
        let create = mustExist ? 0 : O_CREAT
        let descriptor = open(path, O_RDWR | O_CLOEXEC | create, 0o600)
        guard descriptor >= 0 else {
            throw TraceError(
                .cannotOpen,
                "\(path) cannot be written: \(String(cString: strerror(errno))); "
                    + "check the directory and who owns the file")
        }
        // Closing the descriptor is harmless here: nothing in this process writes this file.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            Platform.close(descriptor)
            throw Self.taken(path)
        }
        guard let identity = FileIdentity(path: path),
            Self.writing.withLock({ $0.insert(identity).inserted })
        else {
            Platform.close(descriptor)
            throw Self.taken(path)
        }
        self.descriptor = descriptor
        self.identity = identity
        self.path = path
        watch = FileWatch(path: path, descriptor: descriptor, identity: identity)
        do {
            connection = try Connection(path: path, flags: SQLITE_OPEN_READWRITE)
            try connection.splitWords()
        } catch {
            Self.release(descriptor, identity)
            throw error.traceError(at: path)
        }
        isOpen = true
        try Self.check(connection, path: path, allowsEmpty: !mustExist)
        do {
            try prepare(isUnseen: isUnseen)
        } catch {
            throw error.traceError(at: path)
        }
    }

    deinit { close() }

    /// Closes SQLite's connection first and releases the lock last.
    func close() {
        guard isOpen else { return }
        isOpen = false
        checkpointer?.end()
        connection.close()
        Self.release(descriptor, identity)
    }

    /// Closes a file that was moved or truncated, without damage to the file at the path.
    ///
    /// What is in the log is moved into the file if that `isWhole`.
    func abandon(isWhole: Bool) {
        guard isOpen else { return }
        let ownsLog = watch.ownsLog
        if isWhole {
            checkpointer?.end()
            _ = try? connection.checkpoint()
        }
        // Otherwise the thread keeps a connection: the last one to be closed would write pages from
        // the log into the truncated file.
        isOpen = false
        connection.keepLog()
        connection.close()
        if ownsLog {
            unlink(path + "-wal")
            unlink(path + "-shm")
        }
        Self.release(descriptor, identity)
    }

    /// Refuses what is not a trace, or one that cannot be used.
    ///
    /// With `allowsEmpty` a database without a page passes, which is what a file just created is,
    /// also after a crash in the middle of creating it.
    static func check(
        _ connection: Connection, path: String, allowsEmpty: Bool = false
    ) throws(TraceError) {
        let version: Int64
        do throws(StorageFault) {
            if try connection.integer("PRAGMA page_count") == 0, allowsEmpty { return }
            guard
                try connection.integer("PRAGMA application_id") == Int64(Schema.applicationID)
            else { throw StorageFault(code: SQLITE_NOTADB, message: "") }
            version = try connection.integer("PRAGMA user_version")
        } catch {
            throw error.traceError(at: path)
        }
        if version > Int64(Schema.version) {
            throw TraceError(
                .newerFormat,
                "\(path) has format \(version), this program supports \(Schema.version): "
                    + "use a newer tapedeck")
        }
        if version < Int64(Schema.version) {
            throw TraceError(.olderFormat, Schema.refusal(of: version, path))
        }
        try Schema.check(connection, path: path)
    }

    /// Creates the schema where there is none, and sets how the file is written.
    private func prepare(isUnseen: Bool) throws(StorageFault) {
        // Until the first transaction is committed the file has no page, so a crash before leaves
        // an empty file and one after it a trace. It happens before the switch to WAL, which writes
        // a separate page.
        let isEmpty = try connection.integer("PRAGMA page_count") == 0
        if isEmpty {
            try connection.execute(
                "PRAGMA page_size = \(Self.pageSize); PRAGMA journal_mode = DELETE")
        }
        if isEmpty {
            try connection.transaction("BEGIN EXCLUSIVE") { () throws(StorageFault) in
                try connection.execute(Schema.whole)
                try connection.execute(Schema.thisDecoder)
                try connection.execute(
                    "PRAGMA application_id = \(Schema.applicationID);"
                        + "PRAGMA user_version = \(Schema.version)")
            }
        }
        // Rows come at the end of their tables: more than 4 MiB of pages would be memory for nothing.
        try connection.execute(
            """
            PRAGMA journal_mode = \(isUnseen ? "MEMORY" : "WAL");
            PRAGMA synchronous = \(isUnseen ? "OFF" : "NORMAL");
            PRAGMA foreign_keys = OFF;
            PRAGMA temp_store = FILE;
            PRAGMA cache_size = -4096;
            PRAGMA journal_size_limit = 67108864;
            PRAGMA wal_autocheckpoint = \(2 << 20 / Self.pageSize);
            """)
    }

    /// From now on moves the log into the file in the background, on a separate thread.
    ///
    /// The log is to have about `many` pages at most. ``tendLog()`` is to be called after each
    /// commit.
    func moveLogBehindCommits(many: Int64?) {
        let watch = watch
        connection.watchLog()
        watch.noteSize()
        if let many = many.map({ min($0, LogSchedule.usual) }) {
            schedule = LogSchedule(many: many, most: 2 * many)
        }
        checkpointer = Checkpointer(
            path: path, mayMove: { watch.beginMove() }, hasMoved: { watch.endMove(isDone: $0) })
    }

    /// Begins to move what is in the log now, while more is written.
    func beginMovingLog() { checkpointer?.request() }

    /// Keeps the log from growing without bound.
    ///
    /// - Returns: The bytes of the log that cannot be moved because a reader holds an older
    ///   snapshot; 0 without such a reader.
    func tendLog() -> Int64 {
        guard movesLog, let checkpointer else { return 0 }
        let (last, isBusy) = checkpointer.progress
        switch schedule.next(frames: connection.logFrames, last: last, isBusy: isBusy) {
        case .nothing: break
        case .background: checkpointer.request()
        case .finish:
            checkpointer.wait()
            guard watch.beginMove() else { break }
            // Another program may be moving it, and then it is tried again later.
            watch.endMove(isDone: (try? connection.checkpoint()) != nil)
        }
        guard !isBusy, last.isHeld, last.frames <= connection.logFrames else { return 0 }
        return logSize
    }

    /// Lets the mover of a long log catch up with the commits: commits as fast as it would keep the
    /// log from ever being moved completely, until they would have to stop for long.
    func letLogCatchUp() {
        guard movesLog, let checkpointer, connection.logFrames >= schedule.many else { return }
        checkpointer.wait(atMost: Checkpointer.patience)
    }

    /// Bytes that the log takes.
    var logSize: Int64 { connection.logFrames * Self.frameSize }

    /// Whether the log is not being moved now and may be moved.
    var mayMoveLog: Bool {
        guard movesLog, let checkpointer else { return false }
        return !checkpointer.progress.isBusy && !watch.isTruncated
    }

    /// Bytes that a page takes in the log.
    static let frameSize: Int64 = pageSize + 24

    /// Bytes of a page: a large body takes half as many writes as with SQLite's usual 4,096, and an
    /// empty trace stays below half a megabyte.
    static let pageSize: Int64 = 8_192

    /// Moves everything into the one file, so that it can be copied and read from anywhere.
    func settle() throws(StorageFault) {
        checkpointer?.end()
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        // With a reader the log stays; the trace is complete either way.
        try? connection.execute("PRAGMA journal_mode = DELETE")
    }

    /// Whether this or another process writes the file at `path`.
    static func isWritten(_ path: String) -> Bool {
        if let identity = FileIdentity(path: path), writing.withLock({ $0.contains(identity) }) {
            return true
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { Platform.close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0
    }

    /// Whether this process writes the file of this identity.
    static func isWrittenHere(_ identity: FileIdentity) -> Bool {
        writing.withLock { $0.contains(identity) }
    }

    private static func taken(_ path: String) -> TraceError {
        TraceError(
            .busy, "\(path) is being written by another tapedeck; end it or name another file")
    }

    private static func release(_ descriptor: CInt, _ identity: FileIdentity) {
        _ = writing.withLock { $0.remove(identity) }
        Platform.close(descriptor)
    }
}
