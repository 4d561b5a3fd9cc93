internal import CSQLite
internal import Notation
public import OpenRosa
internal import Platform
internal import Storage
internal import Wire

/// What the client keeps on disk: queue, pauses, sync token and case set.
///
/// All of it is rows of one SQLite database, so that a kill at any time leaves it as it was before
/// or after a step. Only the bodies of submissions are separate files, named by their form's row.
/// The case set is what the server has: a restore or an accepted form changes the cases it names.
public final class CommCareState {
    /// A form as `status` shows it.
    public struct Entry: Hashable, Sendable {
        /// Its number, in the order of submission.
        public var id: Int64
        /// `instanceID`.
        public var instanceID: String
        /// The outcome.
        public var state: CommCareClient.FormState
        /// The last message of the server.
        public var message: String
        /// Passing 422 so far.
        public var attempts: Int
    }

    /// The folder.
    public let folder: String
    let connection: Connection
    let rows: CaseRows

    /// Opens the state in a folder, which is made if it is not there.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - place: What the state is of, such as the user and the server; nil to look at any.
    ///   - deviceID: Identifier of the device, where it has none yet.
    /// - Throws: ``CommCareClientError``: another program has it open, it is of another place, or it
    ///   cannot be read.
    public init(
        folder: String, place: String? = nil, deviceID: String
    ) throws(CommCareClientError) {
        self.folder = folder
        if mkdir(folder, 0o700) != 0, errno != EEXIST {
            throw .storage("\(folder) cannot be made: \(String(cString: strerror(errno)))")
        }
        let path = "\(folder)/commcare.sqlite"
        // SQLite would create it readable by all users.
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
            try Self.prepare(connection)
            rows = try CaseRows(connection)
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
            try removeLeftovers()
        } catch let error as CommCareClientError {
            throw error
        } catch let fault as StorageFault {
            throw CommCareClientError(fault)
        } catch {
            throw .storage("\(error)")
        }
    }

    /// Removes files that a kill left on one side of the transaction that names them.
    private func removeLeftovers() throws(StorageFault) {
        var known: Set<String> = []
        let names = try connection.prepare("SELECT file FROM form WHERE file IS NOT NULL")
        while try names.step() { known.insert(names.string(0)) }
        for name in LocalFile.names(in: folder)
        where name.hasPrefix("restore-") || (name.hasPrefix("submission-") && !known.contains(name))
        {
            unlink("\(folder)/\(name)")
        }
    }

    // MARK: Facts

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

    /// Runs `body` and converts database errors to errors of the client.
    func mappingErrors<Result>(
        _ body: () throws(StorageFault) -> Result
    ) throws(CommCareClientError) -> Result {
        do { return try body() } catch { throw CommCareClientError(error) }
    }

    /// `place`, `device`, `token`, `user_id` or `synced`; nil where it is unknown.
    public func fact(_ name: String) throws(CommCareClientError) -> String? {
        try mappingErrors { () throws(StorageFault) in try Self.fact(name, connection) }
    }

    /// Whether the next restore has to bring everything: there is no sync token, or the server
    /// refused to continue from it.
    public func needsFullRestore() throws(CommCareClientError) -> Bool {
        if try fact("token") == nil { return true }
        return try fact("recovers") != nil
    }

    /// Stores that the server refused to continue, so that a kill does not cause another request.
    func storeRecovery() throws(CommCareClientError) {
        try mappingErrors { () throws(StorageFault) in try Self.set("recovers", "1", connection) }
    }

    // MARK: Pauses

    /// The stored pauses.
    public func pauses() throws(CommCareClientError) -> [CommCareClient.Kind: CommCarePause] {
        try mappingErrors { () throws(StorageFault) in
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
        try mappingErrors { () throws(StorageFault) in
            try connection.execute(
                "INSERT OR REPLACE INTO pause VALUES (\(kind.rawValue), \(pause.userUntil), "
                    + "\(pause.automaticUntil), \(pause.failures))")
        }
    }

    // MARK: The case set

    /// The hash that the next incremental restore sends to the server, after the purge of a device.
    ///
    /// - Returns: The hash; nil where cases refer to each other in a cycle, for which a device
    ///   requests a full restore.
    public func stateToSend() throws(CommCareClientError) -> CaseStateHash? {
        try mappingErrors { () throws(StorageFault) in
            try connection.transaction { () throws(StorageFault) in
                // Purging twice changes nothing more.
                if try Self.fact("is_purged", connection) == nil {
                    if try rows.purge(owners: owners()) != nil { return nil }
                    try Self.set("is_purged", "1", connection)
                }
                return try rows.stateHash()
            }
        }
    }

    /// The owners whose cases belong on the device; nil for all, where no restore has identified
    /// the user.
    ///
    /// User and groups; a server that sends no groups implies the owners of the cases that it
    /// sends.
    private func owners() throws(StorageFault) -> Set<ExactText>? {
        guard let user = try Self.fact("user_id", connection) else { return nil }
        let hasGroups = try Self.fact("has_groups", connection) != nil
        var owners: Set<ExactText> = [ExactText(user)]
        let others = try connection.prepare(
            "SELECT id FROM owner" + (hasGroups ? " WHERE is_group = 1" : ""))
        while try others.step() { owners.insert(ExactText(others.string(0))) }
        return owners
    }

    /// Identifiers of the cases as the user has them: with what unsent forms do, without those that
    /// a device purges.
    public func caseIDs() throws(CommCareClientError) -> [String] {
        try mappingErrors { () throws(StorageFault) in
            try connection.execute("BEGIN IMMEDIATE")
            // Unsent forms are inspected, not applied.
            defer { connection.rollBack() }
            let forms = try connection.prepare(
                "SELECT xml FROM form WHERE state IN (0, 2) AND xml IS NOT NULL ORDER BY id")
            while try forms.step() { try rows.apply(form: forms.bytes(0)) }
            _ = try rows.purge(owners: owners())
            var ids: [String] = []
            try rows.ids { ids.append($0) }
            return ids
        }
    }

    /// A case as the server has it.
    public func caseState(_ id: String) throws(CommCareClientError) -> CaseState? {
        try mappingErrors { () throws(StorageFault) in try rows.load(id) }
    }
}
