internal import Storage
public import Wire

/// What the diagnosis of a session states.
public struct DiagnosedSession: Hashable, Sendable {
    /// The session.
    public var session: SessionID
    /// Its findings.
    public var findings: [FindingRow]
    /// What could not be decided.
    public var undecided: [UndecidedRow]

    /// A session with these statements.
    public init(_ session: SessionID, findings: [FindingRow], undecided: [UndecidedRow] = []) {
        self.session = session
        self.findings = findings
        self.undecided = undecided
    }
}

/// Writes findings, and what could not be decided, into a trace that no other program is writing.
public enum FindingStore {
    /// Stores what was stated of sessions in the trace at `path`, in the place of what was before.
    ///
    /// - Parameters:
    ///   - sessions: Each session that was diagnosed, also those without any finding.
    ///   - path: The trace.
    /// - Throws: ``TraceError``: with code `busy` where another program writes the trace, with
    ///   `cannotOpen` where it cannot be written.
    public static func store(
        _ sessions: [DiagnosedSession], in path: String
    ) throws(TraceError) {
        let file = try TraceFile(path: path, mustExist: true)
        defer { file.close() }
        do throws(StorageFault) {
            let db = file.connection
            try db.transaction { () throws(StorageFault) in
                let next = try Counters(from: db)
                try replace(
                    sessions.map { ($0.session, $0.findings) }, in: Tables.finding,
                    counter: "finding", next: next.finding, db)
                try replace(
                    sessions.map { ($0.session, $0.undecided) }, in: Tables.undecided,
                    counter: "undecided", next: next.undecided, db)
                try Schema.indexStatements(db)
            }
            try file.settle()
        } catch {
            throw error.traceError(at: path)
        }
    }

    /// Puts rows in the place of all that a table has of their sessions.
    private static func replace<Row>(
        _ rows: [(session: SessionID, rows: [Row])], in table: Table<Row>, counter name: String,
        next: Int64, _ db: Connection
    ) throws(StorageFault) {
        let delete = try db.prepare(
            "DELETE FROM \(table.definition.name) WHERE session_id = ?")
        let insert = try Insertion(table, db)
        // A number is never used twice.
        var next = max(next, try db.integer("SELECT max(id) FROM \(table.definition.name)") + 1)
        for (session, rows) in rows {
            delete.bind(1, session.rawValue)
            try delete.run()
            for row in rows {
                let id = Counters.take(&next)
                try insert.run(row, RowContext(id: id, session: session.rawValue))
            }
        }
        let counter = try db.prepare("INSERT OR REPLACE INTO counter VALUES ('\(name)', ?)")
        counter.bind(1, next)
        try counter.run()
    }

    /// Whether a program writes the trace at `path` now, so that its last session may still be
    /// running.
    ///
    /// To be called before this process opens the trace, since closing a descriptor drops the locks
    /// that SQLite has on the file.
    public static func isWritten(_ path: String) -> Bool { TraceFile.isWritten(path) }
}
