internal import CSQLite

extension Connection {
    /// Restricts what a file can have SQLite do: whoever made it may have made it to harm.
    func restrict() {
        guard let handle else { return }
        // Cells of pages that are longer than the page are an error at once.
        sqlite3_exec(handle, "PRAGMA cell_size_check = ON", nil, nil, nil)
        for (limit, value) in Self.limits { sqlite3_limit(handle, limit, value) }
    }

    /// Whether functions that could do harm may be called by the schema: by what the file has views,
    /// indexes and constraints compute.
    package func trustSchema(_ isTrusted: Bool) throws(StorageFault) {
        try execute("PRAGMA trusted_schema = \(isTrusted ? "ON" : "OFF")")
    }

    /// What SQLite's own limits come down to: well above what this program's statements need.
    private static let limits: [(limit: Int32, value: Int32)] = [
        (SQLITE_LIMIT_COLUMN, 256), (SQLITE_LIMIT_COMPOUND_SELECT, 64),
        (SQLITE_LIMIT_VDBE_OP, 1_000_000), (SQLITE_LIMIT_FUNCTION_ARG, 64),
        (SQLITE_LIMIT_ATTACHED, 1), (SQLITE_LIMIT_TRIGGER_DEPTH, 1),
        (SQLITE_LIMIT_WORKER_THREADS, 0),
    ]

    /// Ends every statement that works on without a row for longer than a file of this size can
    /// need: one that a damaged or a hostile file leads in a circle.
    ///
    /// - Parameter units: How long, in ``workUnit``.
    package func limitWork(units: Int64) {
        guard let handle else { return }
        maxWork = units
        sqlite3_progress_handler(
            handle, Self.workUnit,
            { connection in
                guard let connection else { return 0 }
                let own = Unmanaged<Connection>.fromOpaque(connection).takeUnretainedValue()
                own.work += 1
                return own.work > own.maxWork ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Instructions of SQLite's machine, about 10 ms.
    package static let workUnit: Int32 = 1_000_000
}
