internal import CSQLite
internal import Platform
internal import Storage

/// The file in which the servers store what they received.
///
/// One SQLite file that belongs to one running server at a time; each of the two has its own tables
/// and connection. What is committed is on the disk.
final class ServerState: Sendable {
    /// `application_id`: the letters `TPSV`.
    static let applicationID: Int32 = 0x5450_5356
    /// `user_version`; raised where an older Tapedeck could not continue with the file.
    static let format = 1

    /// Where it is.
    let path: String
    private let descriptor: Int32

    /// Opens the file, or makes it, readable by its owner alone.
    ///
    /// - Throws: ``SyncServerError``: `stateInUse` where another server has it, `badState` where it
    ///   is something else, `failed` where it cannot be opened or made.
    init(path: String) throws(SyncServerError) {
        let descriptor = Platform.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw SyncServerError(
                .stateNotThere,
                "--state \(path) cannot be opened: \(String(cString: strerror(errno)))")
        }
        // Not the lock of SQLite, which a second server would wait for.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            Platform.close(descriptor)
            throw SyncServerError(
                .stateInUse, "--state \(path) is in use by another server; stop that one first")
        }
        self.path = path
        self.descriptor = descriptor
        do {
            let connection = try connect()
            let isNew = try connection.integer("SELECT count(*) FROM sqlite_schema") == 0
            if isNew {
                try connection.execute(
                    """
                    PRAGMA application_id = \(Self.applicationID);
                    PRAGMA user_version = \(Self.format);
                    """)
            }
            guard
                try connection.integer("PRAGMA application_id") == Int64(Self.applicationID)
            else {
                throw SyncServerError(
                    .badState, "--state \(path) is not the state of a server; name another file")
            }
            guard try connection.integer("PRAGMA user_version") == Int64(Self.format) else {
                throw SyncServerError(
                    .badState,
                    "--state \(path) is of another version of Tapedeck; name another file")
            }
        } catch let error as SyncServerError {
            throw error
        } catch let fault as StorageFault {
            throw Self.error(fault, path)
        } catch {
            throw SyncServerError(.failed, "--state \(path): \(error)")
        }
    }

    // Closed last: closing any descriptor of a file releases the locks that SQLite has on it.
    deinit { Platform.close(descriptor) }

    /// Another connection to the file.
    func connect() throws(StorageFault) -> Connection {
        let connection = try Connection(path: path, flags: SQLITE_OPEN_READWRITE)
        try connection.trustSchema(false)
        try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")
        return connection
    }

    /// A failure of SQLite as one of the server.
    static func error(_ fault: StorageFault, _ path: String) -> SyncServerError {
        switch fault.primary {
        case SQLITE_CORRUPT: SyncServerError(.badState, "--state \(path) is damaged: \(fault)")
        case SQLITE_NOTADB:
            SyncServerError(
                .badState, "--state \(path) is not the state of a server, or damaged: \(fault)")
        default: SyncServerError(.failed, "--state \(path): \(fault)")
        }
    }
}
