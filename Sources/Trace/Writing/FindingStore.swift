internal import Storage
public import Wire

/// Writes findings into a trace that no other program is writing.
public enum FindingStore {
    /// Stores the findings of sessions in the trace at `path`, in the place of earlier ones.
    ///
    /// - Parameters:
    ///   - rows: The findings of each session that was diagnosed, also of those without any.
    ///   - path: The trace.
    /// - Throws: ``TraceError``: with code `busy` where another program writes the trace, with
    ///   `cannotOpen` where it cannot be written.
    public static func store(
        _ rows: [(session: SessionID, findings: [FindingRow])], in path: String
    ) throws(TraceError) {
        let file = try TraceFile(path: path, mustExist: true)
        defer { file.close() }
        do throws(StorageFault) {
            let db = file.connection
            try db.transaction { () throws(StorageFault) in
                let delete = try db.prepare("DELETE FROM finding_statement WHERE session_id = ?")
                let insert = try Insertion(Tables.finding, db)
                // A number is never used twice.
                var next = max(
                    try Counters(from: db).finding,
                    try db.integer("SELECT max(id) FROM finding_statement") + 1)
                for (session, findings) in rows {
                    delete.bind(1, session.rawValue)
                    try delete.run()
                    for row in findings {
                        let id = Counters.take(&next)
                        try insert.run(row, RowContext(id: id, session: session.rawValue))
                    }
                }
                let counter = try db.prepare("INSERT OR REPLACE INTO counter VALUES ('finding', ?)")
                counter.bind(1, next)
                try counter.run()
            }
            try file.settle()
        } catch {
            throw error.traceError(at: path)
        }
    }

    /// Whether a program writes the trace at `path` now, so that its last session may still be
    /// running.
    ///
    /// To be called before this process opens the trace, since closing a descriptor drops the locks
    /// that SQLite has on the file.
    public static func isWritten(_ path: String) -> Bool { TraceFile.isWritten(path) }
}
