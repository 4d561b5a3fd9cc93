internal import CSQLite
internal import Platform
internal import Storage
internal import Trace

/// What shipping has to know about a trace besides its rows.
extension ShippedRows {
    private static let codes: [String: FleetError.Code] = [
        "cannot-open": .missing, "malformed": .trace, "newer-format": .trace,
        "older-format": .trace, "not-a-trace": .trace,
    ]

    /// Opens the trace at `path` for reading alone.
    ///
    /// - Throws: ``FleetError`` where there is none.
    static func open(_ path: String) throws(FleetError) -> Connection {
        guard access(path, R_OK) == 0 else {
            throw FleetError(
                .missing,
                "\(path) cannot be read: \(String(cString: strerror(errno))); check the name")
        }
        do {
            let db = try Connection(
                path: TraceCut.address(path), flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
            try TraceCut.check(db, "main", path)
            try db.execute("PRAGMA mmap_size = 0; PRAGMA cache_size = -16384")
            return db
        } catch {
            throw Self.error(error, path)
        }
    }

    static func error(_ error: any Error, _ path: String) -> FleetError {
        switch error {
        case let error as FleetError: error
        case let error as FileError:
            FleetError(Self.codes[error.code.rawValue] ?? .storage, error.reason)
        case let error as TraceError:
            FleetError(Self.codes[error.code.rawValue] ?? .storage, error.reason)
        case let error as StorageFault where error.primary == SQLITE_NOTADB:
            FleetError(.trace, "\(path) is not a trace; name another file")
        default: FleetError(.storage, "\(path) cannot be read: \(error)")
        }
    }

    /// A session as far as shipping needs it.
    struct Session {
        let id: Int64
        let startedUnixNanoseconds: Int64
        let arguments: String
        let hasEnded: Bool
    }

    /// The sessions, in order.
    func sessions() throws(FleetError) -> [Session] {
        try mapped {
            let rows = try statement(
                """
                SELECT s.id, s.started_unix_ns, s.arguments,
                  s.id < (SELECT max(id) FROM session) OR EXISTS (SELECT 1 FROM event e
                    WHERE e.session_id = s.id AND e.kind = 'session-ended')
                FROM session s ORDER BY s.id
                """)
            var sessions: [Session] = []
            while try rows.step() {
                sessions.append(
                    Session(
                        id: rows.integer(0), startedUnixNanoseconds: rows.integer(1),
                        arguments: rows.string(2), hasEnded: rows.integer(3) != 0))
            }
            return sessions
        }
    }

    /// A number that changes with every commit to the trace.
    func state() throws(FleetError) -> Int64 {
        // A statement that is not at its end would keep this from seeing later commits.
        endReading()
        return try mapped { try db.integer("PRAGMA data_version") }
    }

    /// The version of the decoder that made the decoded rows.
    func decoder() throws(FleetError) -> Int64 {
        try mapped { try db.integer("SELECT max(version) FROM decoder") }
    }

    /// The number of the last gap, 0 without any.
    func lastGap() throws(FleetError) -> Int64 {
        try mapped { try db.integer("SELECT max(id) FROM gap") }
    }

    /// The numbers that the first table of a unit has.
    func numbers(of unit: FleetUnit) throws(FleetError) -> NumberRanges {
        try mapped {
            let rows = try statement(
                "SELECT \(unit.lead.key) FROM \(unit.name) ORDER BY \(unit.lead.key)")
            var numbers = NumberRanges()
            while try rows.step() { numbers.append(rows.integer(0)) }
            return numbers
        }
    }
}
