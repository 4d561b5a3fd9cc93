internal import Storage
internal import Wire

/// Writes verdicts into a trace that no other program is writing.
public enum FaultVerdicts {
    /// Stores `rows` in the trace at `path`, in the place of earlier verdicts on the same faults.
    ///
    /// - Throws: ``TraceError``: with code `busy` where another program writes the trace, with
    ///   `cannotOpen` where it cannot be written.
    public static func store(_ rows: [FaultVerdictRow], in path: String) throws(TraceError) {
        let file = try TraceFile(path: path, mustExist: true)
        defer { file.close() }
        do throws(StorageFault) {
            let db = file.connection
            let insert = try Insertion(Tables.verdict, db)
            try db.transaction { () throws(StorageFault) in
                for row in rows { try insert.run(row) }
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
