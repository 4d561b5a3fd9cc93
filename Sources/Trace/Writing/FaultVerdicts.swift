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
            let exchange = try db.prepare(
                "SELECT request_chunk_id, request_offset FROM any_exchange WHERE id = ?")
            let command = try db.prepare(
                """
                SELECT m.chunk_id, m."offset", c.position FROM any_command c
                JOIN any_message m ON m.id = c.message_id WHERE c.id = ?
                """)
            try db.transaction { () throws(StorageFault) in
                for var row in rows {
                    if let id = row.command?.rawValue {
                        command.bind(1, id)
                        if try command.step() {
                            row.place = command.place(0)
                            row.position = command.int(2)
                        }
                        command.reset()
                    } else if let id = row.exchange?.rawValue {
                        exchange.bind(1, id)
                        if try exchange.step() { row.place = exchange.place(0) }
                        exchange.reset()
                    }
                    try insert.run(row)
                }
                try Schema.indexStatements(db)
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
