internal import Notation
internal import OpenRosa
internal import Storage
internal import Wire

/// The case set as rows: a block reads and writes its own case alone.
///
/// For use within one transaction of the state's database at a time.
struct CaseRows {
    /// What the rows are made of.
    static let schema = """
        CREATE TABLE case_row (id TEXT PRIMARY KEY, type TEXT, name TEXT, owner TEXT,
          external TEXT, user TEXT, opened TEXT, modified TEXT,
          is_closed INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE case_property (id TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
          PRIMARY KEY (id, name)) STRICT, WITHOUT ROWID;
        CREATE TABLE case_index (id TEXT NOT NULL, name TEXT NOT NULL, target TEXT NOT NULL,
          relationship TEXT NOT NULL, type TEXT, PRIMARY KEY (id, name)) STRICT, WITHOUT ROWID;
        CREATE TABLE case_attachment (id TEXT NOT NULL, name TEXT NOT NULL, source TEXT,
          origin TEXT, PRIMARY KEY (id, name)) STRICT, WITHOUT ROWID;
        CREATE TABLE balance (entity TEXT NOT NULL, section TEXT NOT NULL, entry TEXT NOT NULL,
          quantity INTEGER NOT NULL, PRIMARY KEY (entity, section, entry)) STRICT, WITHOUT ROWID;
        CREATE TABLE fixture (id TEXT NOT NULL, user TEXT NOT NULL,
          PRIMARY KEY (id, user)) STRICT, WITHOUT ROWID;
        CREATE TABLE owner (id TEXT PRIMARY KEY, is_group INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        """

    private static let tables = ["case_row", "case_property", "case_index", "case_attachment"]

    private let connection: Connection
    private let row: Statement
    private let parts: [Statement]
    private let insertRow: Statement
    private let insertParts: [Statement]
    private let deletes: [Statement]
    private let insertOwner: Statement

    init(_ connection: Connection) throws(StorageFault) {
        self.connection = connection
        row = try connection.prepare("SELECT * FROM case_row WHERE id = ?")
        var parts: [Statement] = []
        var deletes: [Statement] = []
        for table in Self.tables {
            deletes.append(try connection.prepare("DELETE FROM \(table) WHERE id = ?"))
            if table != "case_row" {
                parts.append(try connection.prepare("SELECT * FROM \(table) WHERE id = ?"))
            }
        }
        self.parts = parts
        self.deletes = deletes
        insertRow = try connection.prepare(
            "INSERT INTO case_row VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
        insertOwner = try connection.prepare("INSERT OR IGNORE INTO owner VALUES (?, 0)")
        insertParts = [
            try connection.prepare("INSERT INTO case_property VALUES (?, ?, ?)"),
            try connection.prepare("INSERT INTO case_index VALUES (?, ?, ?, ?, ?)"),
            try connection.prepare("INSERT INTO case_attachment VALUES (?, ?, ?, ?)"),
        ]
    }

    // MARK: One case

    /// The case with this identifier.
    func load(_ id: String) throws(StorageFault) -> CaseState? {
        row.bind(1, id)
        defer { row.reset() }
        guard try row.step() else { return nil }
        var state = CaseState(id: row.string(0))
        state.caseType = row.optionalString(1)
        state.name = row.optionalString(2)
        state.ownerID = row.optionalString(3)
        state.externalID = row.optionalString(4)
        state.userID = row.optionalString(5)
        state.dateOpened = row.optionalString(6)
        state.dateModified = row.optionalString(7)
        state.isClosed = row.integer(8) != 0
        for statement in parts { statement.bind(1, id) }
        while try parts[0].step() {
            state.properties[ExactText(parts[0].string(1))] = parts[0].string(2)
        }
        while try parts[1].step() {
            state.indices[ExactText(parts[1].string(1))] = CaseState.Index(
                target: parts[1].string(2), relationship: parts[1].string(3),
                caseType: parts[1].optionalString(4))
        }
        while try parts[2].step() {
            state.attachments[ExactText(parts[2].string(1))] = CaseState.Attachment(
                source: parts[2].optionalString(2), from: parts[2].optionalString(3))
        }
        return state
    }

    private func save(_ state: CaseState) throws(StorageFault) {
        try remove(state.id)
        insertRow.bind(1, state.id)
        let texts = [
            state.caseType, state.name, state.ownerID, state.externalID, state.userID,
            state.dateOpened, state.dateModified,
        ]
        for (column, text) in texts.enumerated() { insertRow.bind(Int32(column + 2), text) }
        insertRow.bind(9, state.isClosed)
        try insertRow.run()
        for statement in insertParts { statement.bind(1, state.id) }
        for (name, value) in state.properties {
            insertParts[0].bind(2, name.string)
            insertParts[0].bind(3, value)
            try insertParts[0].run()
        }
        for (name, index) in state.indices {
            insertParts[1].bind(2, name.string)
            insertParts[1].bind(3, index.target)
            insertParts[1].bind(4, index.relationship)
            insertParts[1].bind(5, index.caseType)
            try insertParts[1].run()
        }
        for (name, attachment) in state.attachments {
            insertParts[2].bind(2, name.string)
            insertParts[2].bind(3, attachment.source)
            insertParts[2].bind(4, attachment.from)
            try insertParts[2].run()
        }
    }

    /// Removes a case.
    func remove(_ id: String) throws(StorageFault) {
        for statement in deletes {
            statement.bind(1, id)
            try statement.run()
        }
    }

    // MARK: Blocks

    /// Applies a case block.
    ///
    /// - Returns: The error, in which case nothing was changed; nil for success.
    func apply(
        _ block: CaseBlock, from source: CaseSet.Source, _ strictness: CaseSet.Strictness
    ) throws(StorageFault) -> CaseProblem? {
        let id = block.caseID ?? ""
        let known = try load(id)
        var set = CaseSet()
        if let known { set.put(known) }
        do throws(CaseProblem) { try set.apply(block, from: source, strictness) } catch {
            return error
        }
        if let state = set[id], state != known { try save(state) }
        if source == .restore, let owner = set[id]?.ownerID, !owner.isEmpty {
            insertOwner.bind(1, owner)
            try insertOwner.run()
        }
        return nil
    }

    /// Applies a ledger block.
    ///
    /// - Returns: The error, in which case nothing was changed; nil for success.
    func apply(
        _ block: LedgerBlock, _ strictness: CaseSet.Strictness
    ) throws(StorageFault) -> CaseProblem? {
        var set = CaseSet()
        do throws(CaseProblem) { try set.apply(block, strictness) } catch { return error }
        // Applied to nothing, a balance gives what there is, and a transfer what is added.
        let insert = try connection.prepare(
            "INSERT INTO balance VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET quantity = "
                + (block.kind == .balance ? "excluded.quantity" : "quantity + excluded.quantity"))
        for (key, quantity) in set.ledgers.balances {
            insert.bind(1, key.entity.string)
            insert.bind(2, key.section.string)
            insert.bind(3, key.entry.string)
            insert.bind(4, quantity)
            try insert.run()
        }
        return nil
    }

    /// Applies what a form that CommCare accepted does; what CommCare refuses is skipped.
    func apply(form: [UInt8]) throws(StorageFault) {
        let (events, _) = CommCareReader.read(form, purpose: .submission)
        for event in events {
            switch event {
            case .caseBlock(let block): _ = try apply(block, from: .submission, .tolerant)
            case .ledger(let block): _ = try apply(block, .tolerant)
            default: continue
            }
        }
    }

    /// Adds a received fixture; an empty one is not kept.
    func apply(_ fixture: Fixture) throws(StorageFault) {
        guard let id = fixture.id else { return }
        let statement = try connection.prepare(
            fixture.elements == 0
                ? "DELETE FROM fixture WHERE id = ? AND user = ?"
                : "INSERT OR REPLACE INTO fixture VALUES (?, ?)")
        statement.bind(1, id)
        statement.bind(2, fixture.userID ?? "")
        try statement.run()
    }

    // MARK: All cases

    /// Removes what a full restore replaces.
    func removeAll() throws(StorageFault) {
        for table in Self.tables + ["balance"] { try connection.execute("DELETE FROM \(table)") }
        try connection.execute("DELETE FROM owner WHERE is_group = 0")
    }

    /// Stores the groups whose cases belong on the device.
    func setGroups(_ groups: [String]) throws(StorageFault) {
        try connection.execute("DELETE FROM owner WHERE is_group = 1")
        let insert = try connection.prepare("INSERT OR REPLACE INTO owner VALUES (?, 1)")
        for group in groups {
            insert.bind(1, group)
            try insert.run()
        }
    }

    /// Identifiers of all cases, in the order of their bytes.
    func ids(_ body: (String) -> Void) throws(StorageFault) {
        let all = try connection.prepare("SELECT id FROM case_row ORDER BY id")
        while try all.step() { body(all.string(0)) }
    }

    /// The hash of all cases.
    func stateHash() throws(StorageFault) -> CaseStateHash {
        var digest: CaseStateHash.Digest?
        try ids { digest = (digest ?? .zero) ^ CaseStateHash.Digest(of: $0) }
        return CaseStateHash(digest: digest)
    }

    /// Removes the cases that a device deletes before it syncs.
    ///
    /// - Parameter owners: Whose cases belong on the device; nil for all.
    /// - Returns: A circle of indices, with which nothing is removed.
    /// - Throws: `StorageFault`.
    func purge(owners: Set<ExactText>?) throws(StorageFault) -> CasePurge.Cycle? {
        var cases: [ExactText: CaseState] = [:]
        let all = try connection.prepare("SELECT id, owner, is_closed FROM case_row")
        while try all.step() {
            var state = CaseState(id: all.string(0))
            state.ownerID = all.optionalString(1)
            state.isClosed = all.integer(2) != 0
            cases[ExactText(state.id)] = state
        }
        let indices = try connection.prepare(
            "SELECT id, name, target, relationship FROM case_index")
        while try indices.step() {
            cases[ExactText(indices.string(0))]?.indices[ExactText(indices.string(1))] =
                CaseState.Index(target: indices.string(2), relationship: indices.string(3))
        }
        let purge: CasePurge
        do throws(CasePurge.Cycle) { purge = try CasePurge.judge(cases, owners: owners) } catch {
            return error
        }
        for id in purge.removed { try remove(id.string) }
        return nil
    }
}
