internal import CSQLite
internal import Notation
internal import Platform
internal import Simperium
internal import Storage
internal import Wire

/// What a client keeps on disk: a SQLite file for itself alone.
///
/// Changes of one turn are one transaction, to be committed before anything is sent because of
/// them, so that a change that was sent is never dropped nor sent under another identifier.
final class SimperiumState {
    private let connection: Connection
    private let head: Statement
    private let put: Statement
    private let remove: Statement
    private let isKept: Bool
    private var nextWaiting: Int64

    /// Opens the state in a folder, or one that lasts as long as this.
    ///
    /// - Parameters:
    ///   - folder: Made if it is not there; nil keeps the state in memory.
    ///   - app: Identifier of the application that the state belongs to.
    /// - Throws: ``SimperiumClientError``: the state cannot be used, or is that of another app.
    init(folder: String?, app: String) throws(SimperiumClientError) {
        isKept = folder != nil
        let path = try folder.map(Self.prepare) ?? ":memory:"
        do {
            connection = try Connection(path: path, flags: Self.flags)
            sqlite3_busy_timeout(connection.handle, 200)
            // Two clients with one identifier would treat each other's changes as their own.
            try connection.execute(
                "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;")
            try connection.execute("BEGIN EXCLUSIVE; COMMIT;")
            try Self.prepare(connection)
            head = try connection.prepare(
                "INSERT OR REPLACE INTO bucket (name, cv, emptying) VALUES (?, ?, ?)")
            put = try connection.prepare(SavedObjectRow.insert)
            remove = try connection.prepare("DELETE FROM object WHERE bucket = ? AND key = ?")
            nextWaiting = try connection.integer("SELECT max(waiting) FROM object") + 1
        } catch {
            throw SimperiumClientError(error, folder: folder)
        }
        if let other = try value("app") {
            guard other == app else {
                throw .wrongState(
                    "the state in \(folder ?? "memory") belongs to the app \(other); name another --state"
                )
            }
        } else {
            try set("app", app)
        }
    }

    private static let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE

    /// Makes the folder and an empty file that no other user may read.
    private static func prepare(_ folder: String) throws(SimperiumClientError) -> String {
        if mkdir(folder, 0o700) != 0, errno != EEXIST {
            throw .storage("\(folder) cannot be made: \(String(cString: strerror(errno)))")
        }
        let path = "\(folder)/simperium.sqlite"
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw .storage("\(path) cannot be opened: \(String(cString: strerror(errno)))")
        }
        Platform.close(file)
        return path
    }

    /// Creates the tables of a new state, and refuses one of another version.
    private static func prepare(_ connection: Connection) throws(StorageFault) {
        let version = try connection.integer("PRAGMA user_version")
        guard version == 0 else {
            guard version == 1 else {
                throw StorageFault(
                    code: SQLITE_NOTADB, message: "the state is of a newer version")
            }
            return
        }
        try connection.transaction { () throws(StorageFault) in
            try connection.execute(
                """
                CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
                CREATE TABLE bucket (name TEXT PRIMARY KEY, cv TEXT, emptying TEXT) STRICT;
                \(SavedObjectRow.table)
                PRAGMA user_version = 1;
                """)
        }
    }

    /// A property of the state as a whole.
    func value(_ name: String) throws(SimperiumClientError) -> String? {
        do {
            let statement = try connection.prepare("SELECT value FROM fact WHERE name = ?")
            statement.bind(1, name)
            defer { statement.reset() }
            return try statement.step() ? statement.string(0) : nil
        } catch { throw SimperiumClientError(error) }
    }

    /// Stores something of the state as a whole.
    func set(_ name: String, _ value: String) throws(SimperiumClientError) {
        do {
            let statement = try connection.prepare("INSERT OR REPLACE INTO fact VALUES (?, ?)")
            statement.bind(1, name)
            statement.bind(2, value)
            try statement.run()
        } catch { throw SimperiumClientError(error) }
    }

    /// What was saved of a bucket, and what waits to be sent, in the order of the edits.
    ///
    /// What waits is not in the objects, since a bucket would send it in another order.
    func load(_ bucket: String) throws(SimperiumClientError) -> LoadedBucket {
        do {
            var loaded = LoadedBucket()
            let head = try connection.prepare("SELECT cv, emptying FROM bucket WHERE name = ?")
            head.bind(1, bucket)
            if try head.step() {
                loaded.saved.cv = head.optionalString(0)
                loaded.saved.emptying = head.optionalString(1)
                    .flatMap { SavedObjectRow.change($0) }.map { .init(change: $0) }
                head.reset()
            }
            let rows = try connection.prepare(SavedObjectRow.select)
            rows.bind(1, bucket)
            while try rows.step() {
                var (key, object) = SavedObjectRow.read(rows)
                if object.isDirty, object.sent?.target != object.local || object.sent == nil,
                    object.hold == nil, !object.needsFull
                {
                    loaded.edits.append((key.string, object.local))
                    object.local =
                        object.sent.map { $0.target } ?? object.ghost?.data
                }
                loaded.saved.objects[key] = object
            }
            return loaded
        } catch { throw SimperiumClientError(error) }
    }

    /// Stores what changed; it is safe after ``commit()``.
    func save(_ bucket: String, _ saving: ClientBucket.Saving) throws(SimperiumClientError) {
        // What is not stored is in the session as well.
        guard isKept else { return }
        do {
            if connection.isIdle { try connection.execute("BEGIN IMMEDIATE") }
            head.bind(1, bucket)
            head.bind(2, saving.cv)
            head.bind(3, saving.emptying.map { SavedObjectRow.text($0.change) })
            try head.run()
            for (key, object) in saving.objects {
                if let object {
                    SavedObjectRow.bind(put, bucket, key, object, waiting: nextWaiting)
                    nextWaiting += 1
                    try put.run()
                } else {
                    remove.bind(1, bucket)
                    remove.bind(2, key.string)
                    try remove.run()
                }
            }
        } catch {
            connection.rollBack()
            throw SimperiumClientError(error)
        }
    }

    /// Makes what was stored safe.
    func commit() throws(SimperiumClientError) {
        guard !connection.isIdle else { return }
        do { try connection.execute("COMMIT") } catch {
            connection.rollBack()
            throw SimperiumClientError(error)
        }
    }
}

/// A bucket as it was left.
struct LoadedBucket {
    /// What was saved, without what waits to be sent.
    var saved = ClientBucket.Saved()
    /// What waits to be sent, in order; nil removes an object.
    var edits: [(key: String, data: JSONValue?)] = []
}
