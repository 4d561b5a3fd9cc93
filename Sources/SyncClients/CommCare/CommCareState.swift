internal import CSQLite
internal import Glibc
public import OpenRosa
internal import Storage

/// What the client keeps on disk: queue, pauses, sync token, and what the case set is made of.
///
/// The case set is what the last full restore, the restores after it and the forms of the device
/// make, read in their order. Restores are files that are never changed; which of them count is
/// in the database, so that a full restore takes the place of all others in one transaction.
public final class CommCareState {
    /// A form to be submitted, with the files that go with it.
    public struct Form: Hashable, Sendable {
        /// `instanceID`.
        public var instanceID: String
        /// The form, verbatim.
        public var xml: [UInt8]
        /// Names and contents of what goes with it.
        public var files: [(name: String, content: [UInt8])] {
            zip(names, contents).map { ($0, $1) }
        }
        var names: [String] = []
        var contents: [[UInt8]] = []
        /// Its file name.
        public var filename: String

        /// Reads a form.
        ///
        /// - Throws: ``CommCareClientError/badForm(_:)``: it is no form, or has no instanceID, without
        ///   which a server would keep it twice.
        public init(
            xml: [UInt8], filename: String, files: [(name: String, content: [UInt8])]
        ) throws(CommCareClientError) {
            let (events, error) = CommCareReader.read(xml, purpose: .submission)
            if let error { throw .badForm("\(filename) is no form: \(error)") }
            var instanceID: String?
            for case .meta(let meta) in events where instanceID == nil {
                instanceID = meta.instanceID
            }
            guard let instanceID, !instanceID.isEmpty else {
                throw .badForm("\(filename) has no instanceID in its meta block; give it one")
            }
            self.instanceID = instanceID
            self.xml = xml
            self.filename = filename
            names = files.map(\.name)
            contents = files.map(\.content)
        }

        init(id: String, xml: [UInt8], filename: String) {
            instanceID = id
            self.xml = xml
            self.filename = filename
        }
    }

    /// A form as `status` shows it.
    public struct Entry: Hashable, Sendable {
        /// Its number, in the order of submission.
        public var id: Int64
        /// `instanceID`.
        public var instanceID: String
        /// What became of it.
        public var state: CommCareClient.FormState
        /// What the server said last.
        public var message: String
        /// Passing 422 so far.
        public var attempts: Int
    }

    /// The folder.
    public let folder: String
    let connection: Connection

    /// Opens the state in a folder, which is made if it is not there.
    ///
    /// - Parameters:
    ///   - folder: For this user of this project alone.
    ///   - place: What tells server, project and user; nil takes what is there.
    ///   - deviceID: Identifier of the device, if the state is new.
    /// - Throws: ``CommCareClientError``: in use, of another user, or not writable.
    public init(
        folder: String, place: String? = nil, deviceID: String
    ) throws(CommCareClientError) {
        self.folder = folder
        if mkdir(folder, 0o700) != 0, errno != EEXIST {
            throw .storage("\(folder) cannot be made: \(String(cString: strerror(errno)))")
        }
        let path = "\(folder)/commcare.sqlite"
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw .storage("\(path) cannot be opened: \(String(cString: strerror(errno)))")
        }
        close(file)
        do {
            connection = try Connection(
                path: path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
            // Two clients at once would send the same form, and swap restores under each other.
            sqlite3_busy_timeout(connection.handle, 200)
            try connection.execute(
                "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                    + "BEGIN EXCLUSIVE; COMMIT;")
            try Self.migrate(connection)
            if let place {
                if let other = try Self.fact("place", connection) {
                    guard other == place else {
                        throw CommCareClientError.wrongState("\(folder) is the state of \(other)")
                    }
                } else {
                    try Self.set("place", place, connection)
                }
            }
            if try Self.fact("device", connection) == nil {
                try Self.set("device", deviceID, connection)
            }
        } catch let error as CommCareClientError {
            throw error
        } catch let fault as StorageFault {
            throw CommCareClientError(fault)
        } catch {
            throw .storage("\(error)")
        }
        // What a kill left between the file and the transaction that names it.
        let known = Set(try documents().compactMap(\.name))
        for name in LocalFile.names(in: folder)
        where name.hasPrefix("restore-") && !known.contains(name) {
            unlink("\(folder)/\(name)")
        }
    }

    private static func migrate(_ connection: Connection) throws(StorageFault) {
        let version = try connection.integer("PRAGMA user_version")
        if version == 1 { return }
        guard version == 0 else {
            throw StorageFault(code: SQLITE_NOTADB, message: "it is of a newer version")
        }
        try connection.transaction { () throws(StorageFault) in
            try connection.execute(
                """
                CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
                CREATE TABLE form (id INTEGER PRIMARY KEY AUTOINCREMENT,
                  instance TEXT NOT NULL UNIQUE, filename TEXT NOT NULL, xml BLOB,
                  state INTEGER NOT NULL, attempts INTEGER NOT NULL, message TEXT NOT NULL) STRICT;
                CREATE TABLE attachment (form INTEGER NOT NULL, position INTEGER NOT NULL,
                  name TEXT NOT NULL, content BLOB NOT NULL, PRIMARY KEY (form, position)) STRICT;
                CREATE TABLE pause (kind INTEGER PRIMARY KEY, user INTEGER NOT NULL,
                  automatic INTEGER NOT NULL, failures INTEGER NOT NULL) STRICT;
                CREATE TABLE document (id INTEGER PRIMARY KEY, name TEXT, is_full INTEGER NOT NULL,
                  form INTEGER) STRICT;
                PRAGMA user_version = 1;
                """)
        }
    }

    private static func fact(
        _ name: String, _ connection: Connection
    ) throws(StorageFault)
        -> String?
    {
        let statement = try connection.prepare("SELECT value FROM fact WHERE name = ?")
        statement.bind(1, name)
        defer { statement.reset() }
        return try statement.step() ? statement.string(0) : nil
    }

    static func set(
        _ name: String, _ value: String?, _ connection: Connection
    ) throws(StorageFault) {
        let statement = try connection.prepare(
            value == nil
                ? "DELETE FROM fact WHERE name = ?" : "INSERT OR REPLACE INTO fact VALUES (?, ?)")
        statement.bind(1, name)
        if let value { statement.bind(2, value) }
        try statement.run()
    }

    func told<Result>(
        _ body: () throws(StorageFault) -> Result
    ) throws(CommCareClientError) -> Result {
        do { return try body() } catch { throw CommCareClientError(error) }
    }

    /// `place`, `device`, `token` or `user_id`; nil where it is not known.
    public func fact(_ name: String) throws(CommCareClientError) -> String? {
        try told { () throws(StorageFault) in try Self.fact(name, connection) }
    }

    // MARK: Forms

    /// Stores a form before it is sent.
    ///
    /// - Returns: What the state knows of it: `queued`, or `sent` where its answer is stored.
    /// - Throws: ``CommCareClientError/badForm(_:)`` where another form has its instanceID, or the
    ///   server has refused it for good.
    public func add(_ form: Form) throws(CommCareClientError) -> CommCareClient.FormState {
        if let known = try entries().first(where: { $0.instanceID == form.instanceID }) {
            switch known.state {
            case .sent: return .sent
            case .aside:
                throw .badForm("the server refused \(form.filename) for good: \(known.message)")
            case .queued, .held:
                guard try self.form(known.id)?.xml == form.xml else {
                    throw .badForm(
                        "another form with the instanceID \(form.instanceID) waits already")
                }
                try store(known.id, .queued, attempts: 0, message: "")
                return .queued
            }
        }
        try told { () throws(StorageFault) in
            try connection.transaction { () throws(StorageFault) in
                let insert = try connection.prepare(
                    "INSERT INTO form (instance, filename, xml, state, attempts, message) "
                        + "VALUES (?, ?, ?, 0, 0, '')")
                insert.bind(1, form.instanceID)
                insert.bind(2, form.filename)
                insert.bind(3, copying: form.xml, asText: false)
                try insert.run()
                let id = try connection.integer("SELECT last_insert_rowid()")
                for (index, file) in form.files.enumerated() {
                    let attach = try connection.prepare(
                        "INSERT INTO attachment VALUES (?, ?, ?, ?)")
                    attach.bind(1, id)
                    attach.bind(2, index)
                    attach.bind(3, file.name)
                    attach.bind(4, copying: file.content, asText: false)
                    try attach.run()
                }
                try connection.execute(
                    "INSERT INTO document (is_full, form) VALUES (0, \(id))")
            }
        }
        return .queued
    }

    /// All forms, in the order of submission.
    public func entries() throws(CommCareClientError) -> [Entry] {
        try told { () throws(StorageFault) in
            let rows = try connection.prepare(
                "SELECT id, instance, state, message, attempts FROM form ORDER BY id")
            var entries: [Entry] = []
            while try rows.step() {
                entries.append(
                    Entry(
                        id: rows.integer(0), instanceID: rows.string(1),
                        state: CommCareClient.FormState(rawValue: rows.integer(2)) ?? .held,
                        message: rows.string(3), attempts: Int(rows.integer(4))))
            }
            return entries
        }
    }

    /// A form with its files; nil where its content is not needed any more.
    public func form(_ id: Int64) throws(CommCareClientError) -> Form? {
        try told { () throws(StorageFault) in
            let row = try connection.prepare(
                "SELECT instance, xml, filename FROM form WHERE id = ? AND xml IS NOT NULL")
            row.bind(1, id)
            defer { row.reset() }
            guard try row.step() else { return nil }
            var form = Form(id: row.string(0), xml: row.bytes(1), filename: row.string(2))
            let files = try connection.prepare(
                "SELECT name, content FROM attachment WHERE form = ? ORDER BY position")
            files.bind(1, id)
            while try files.step() {
                form.names.append(files.string(0))
                form.contents.append(files.bytes(1))
            }
            return form
        }
    }

    /// Stores what became of a form; once it is sent, its files go.
    public func store(
        _ id: Int64, _ state: CommCareClient.FormState, attempts: Int, message: String
    ) throws(CommCareClientError) {
        try told { () throws(StorageFault) in
            try connection.transaction { () throws(StorageFault) in
                let update = try connection.prepare(
                    "UPDATE form SET state = ?, attempts = ?, message = ? WHERE id = ?")
                update.bind(1, state.rawValue)
                update.bind(2, attempts)
                update.bind(3, message)
                update.bind(4, id)
                try update.run()
                if state == .sent {
                    try connection.execute("DELETE FROM attachment WHERE form = \(id)")
                }
            }
        }
    }

    // MARK: Pauses

    /// The stored pauses.
    public func pauses() throws(CommCareClientError) -> [CommCareClient.Kind: CommCarePause] {
        try told { () throws(StorageFault) in
            let rows = try connection.prepare("SELECT kind, user, automatic, failures FROM pause")
            var pauses: [CommCareClient.Kind: CommCarePause] = [:]
            while try rows.step() {
                guard let kind = CommCareClient.Kind(rawValue: rows.integer(0)) else { continue }
                pauses[kind] = CommCarePause(
                    userUntil: rows.integer(1), automaticUntil: rows.integer(2),
                    failures: Int(clamping: rows.integer(3)))
            }
            return pauses
        }
    }

    /// Stores a pause.
    public func store(
        _ kind: CommCareClient.Kind, _ pause: CommCarePause
    ) throws(CommCareClientError) {
        try told { () throws(StorageFault) in
            try connection.execute(
                "INSERT OR REPLACE INTO pause VALUES (\(kind.rawValue), \(pause.userUntil), "
                    + "\(pause.automaticUntil), \(pause.failures))")
        }
    }

    // MARK: The case set

    struct Document {
        var id: Int64
        var name: String?
        var isFull: Bool
        var form: Int64?
    }

    func documents() throws(CommCareClientError) -> [Document] {
        try told { () throws(StorageFault) in
            let rows = try connection.prepare(
                "SELECT id, name, is_full, form FROM document ORDER BY id")
            var documents: [Document] = []
            while try rows.step() {
                documents.append(
                    Document(
                        id: rows.integer(0), name: rows.optionalString(1),
                        isFull: rows.integer(2) != 0, form: rows.optionalInteger(3)))
            }
            return documents
        }
    }

    /// The case set as it is, cases that a device purges before it syncs left out.
    public func caseSet() throws(CommCareClientError) -> CaseSet {
        var set = CaseSet()
        let refused = Set(try entries().filter { $0.state == .aside }.map(\.id))
        for document in try documents() {
            if let name = document.name {
                purge(&set)
                switch Self.read("\(folder)/\(name)", document.isFull, set) {
                case .success(let next): set = next
                case .failure(let problem): throw .wrongState("\(name): \(problem.says)")
                }
            } else if let id = document.form, !refused.contains(id), let form = try form(id) {
                // Unreadable forms were not accepted into the queue, and a tolerant reading
                // applies what the server applies.
                _ = try? set.submit(
                    CommCareReader.read(form.xml, purpose: .submission).events, .tolerant)
            }
        }
        purge(&set)
        return set
    }

    /// A cycle of indices keeps all cases, as on a device.
    private func purge(_ set: inout CaseSet) { _ = try? set.purge(owners: nil) }

}
