internal import CSQLite
internal import Dissection
internal import Filters
internal import Notation
internal import Platform
internal import Storage
public import Wire

/// Reads a trace, also while it is being written.
///
/// Never changes the trace and never delays the writer: every call reads in one or several short
/// transactions. For one thread at a time.
public final class TraceReader {
    let db: Connection
    /// What the questions about single rows were asked with.
    private var statements = StatementCache()
    /// The file.
    public let path: String
    /// A warning about this trace, such as that the newest rows cannot be read; nil without one.
    public private(set) var warning: String?

    /// Opens the trace at `path`.
    ///
    /// A trace in a read-only place is read without its write-ahead log; if there is one,
    /// ``warning`` reports it.
    ///
    /// - Throws: ``TraceError`` where there is none, or one of a later format.
    public init(path: String) throws(TraceError) {
        self.path = path
        guard access(path, R_OK) == 0 else {
            throw TraceError(
                .cannotOpen,
                "\(path) cannot be read: \(String(cString: strerror(errno))); check the name")
        }
        let uri = "file:" + PercentEncoding.encode(path, keeping: .path)
        do {
            db = try Self.open(uri + "?mode=ro")
            warning = nil
        } catch {
            // SQLite keeps an index of the log in shared memory beside the file, and where it can
            // neither find nor create that, it can only read a file that no program changes.
            guard error.primary == SQLITE_CANTOPEN || error.primary == SQLITE_READONLY else {
                throw error.traceError(at: path)
            }
            do {
                db = try Self.open(uri + "?mode=ro&immutable=1")
            } catch {
                throw error.traceError(at: path)
            }
            var status = stat()
            let hasLog = stat(path + "-wal", &status) == 0 && status.st_size > 0
            warning =
                hasLog
                ? "\(path) is in a read-only place: read without \(path)-wal, so the newest "
                    + "rows are missing; copy both elsewhere to read them"
                : nil
        }
        try TraceFile.check(db, path: path)
        do {
            try db.register(FilterFunctions())
            let version = try db.integer("SELECT min(version) FROM decoder")
            if version < Dissector.version, warning == nil {
                warning =
                    "the decoded rows of \(path) are older than this program, which may read its bytes "
                    + "otherwise: tapedeck rebuild \(path) makes them anew"
            }
            if let damage = try Self.damage(of: db) {
                warning =
                    "\(path) is damaged, so rows may be missing or wrong: SQLite finds \(damage)"
            }
        } catch {
            throw error.traceError(at: path)
        }
    }

    private static func open(_ uri: String) throws(StorageFault) -> Connection {
        let db = try Connection(path: uri, flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
        try db.trustSchema(false)
        // Not mapped: a file that becomes shorter meanwhile ends a program that has it mapped.
        try db.execute("PRAGMA mmap_size = 0; PRAGMA cache_size = -8192")
        // The first read opens the log and shows whether the file is a database.
        _ = try db.integer("PRAGMA schema_version")
        return db
    }

    /// What SQLite finds wrong with the pages and values of a file that is small enough to be
    /// examined at every start; nil for nothing.
    private static func damage(of db: Connection) throws(StorageFault) -> String? {
        let size = try db.integer("PRAGMA page_count") * TraceFile.pageSize
        guard size <= maxExaminedSize else { return nil }
        let found = try db.text("PRAGMA quick_check(1)")
        return found == "ok" ? nil : found
    }

    /// Bytes of a file whose examination takes a few milliseconds.
    private static let maxExaminedSize: Int64 = 4 << 20

    // MARK: Details

    /// An exchange with all its rows; nil where there is none of that number.
    public func exchange(_ id: ExchangeID) throws(TraceError) -> ExchangeDetail? {
        try reported { () throws(StorageFault) in
            try db.transaction("BEGIN") { () throws(StorageFault) -> ExchangeDetail? in
                let found = try list(
                    "SELECT * FROM any_exchange WHERE id = ?", [id.rawValue]
                ) { (SessionID($0.integer(1)), Tables.exchange.row($0)) }
                guard let (session, row) = found.first else { return nil }
                var detail = ExchangeDetail(session: session, row: row)
                for body in try list(
                    "SELECT * FROM body WHERE id BETWEEN 2 * ?1 AND 2 * ?1 + 1", [id.rawValue],
                    { $0.body() })
                {
                    if body.sender == .client {
                        detail.request = body
                    } else {
                        detail.response = body
                    }
                }
                detail.parts = try list(
                    "SELECT * FROM part WHERE exchange_id = ? ORDER BY id", [id.rawValue]
                ) { Tables.part.row($0) }
                detail.documents = try list(
                    "SELECT * FROM openrosa WHERE exchange_id = ? ORDER BY id", [id.rawValue]
                ) { Tables.document.row($0) }
                detail.notes = try list(
                    "SELECT * FROM note WHERE exchange_id = ? AND message_id IS NULL ORDER BY id",
                    [id.rawValue]
                ) { Tables.note.row($0) }
                // There may be one for each message; the other columns are those of the first.
                detail.messageNotes = try list(
                    "SELECT *, count(*), min(id) FROM note "
                        + "WHERE exchange_id = ? AND message_id IS NOT NULL "
                        + "GROUP BY code, sender, message ORDER BY min(id)", [id.rawValue]
                ) {
                    EqualNotes(
                        first: Tables.note.row($0), count: Int($0.integer(Tables.note.width)))
                }
                detail.faults = try faults(
                    on: row.connection, where: "f.exchange_id = ?", [id.rawValue])
                detail.findings = try findings(at: row.requestPlace)
                detail.undecided = try undecided(at: row.requestPlace)
                return detail
            }
        }
    }

    /// A message with its frames and commands; nil where there is none of that number.
    public func message(_ id: MessageID) throws(TraceError) -> MessageDetail? {
        try reported { () throws(StorageFault) in
            try db.transaction("BEGIN") { () throws(StorageFault) -> MessageDetail? in
                let found = try list("SELECT * FROM any_message WHERE id = ?", [id.rawValue]) {
                    (SessionID($0.integer(1)), Tables.message.row($0))
                }
                guard let (session, row) = found.first else { return nil }
                var detail = MessageDetail(session: session, row: row)
                let share = Tables.share
                detail.frames = try list(
                    "SELECT * FROM frame WHERE id >= \(share) * ?1 AND id < \(share) * (?1 + 1) "
                        + "ORDER BY id LIMIT 10000", [id.rawValue]
                ) { Tables.frame.row($0) }
                detail.commands = try list(
                    "SELECT * FROM any_command WHERE message_id = ? ORDER BY id",
                    [id.rawValue]
                ) { Tables.command.row($0) }
                detail.notes = try notes(about: id, on: row.connection)
                detail.faults = try faults(
                    on: row.connection, where: "f.message_id = ?", [id.rawValue])
                detail.findings = try findings(at: row.place)
                detail.undecided = try undecided(at: row.place)
                return detail
            }
        }
    }

    /// What is noted about a message.
    func notes(
        about message: MessageID, on connection: ConnectionID
    ) throws(StorageFault) -> [NoteRow] {
        try list(
            "SELECT * FROM note WHERE connection_id = ? AND message_id = ? ORDER BY id",
            [connection.rawValue, message.rawValue]
        ) { Tables.note.row($0) }
    }

    /// A connection with its legs, events and gaps; nil where there is none of that number.
    public func connection(_ id: ConnectionID) throws(TraceError) -> ConnectionDetail? {
        try reported { () throws(StorageFault) in
            try db.transaction("BEGIN") { () throws(StorageFault) -> ConnectionDetail? in
                let found = try list("SELECT * FROM connection WHERE id = ?", [id.rawValue]) {
                    (SessionID($0.integer(1)), Tables.connection.row($0))
                }
                guard let (session, row) = found.first else { return nil }
                var detail = ConnectionDetail(session: session, row: row)
                let id = [id.rawValue]
                detail.legs = try list(
                    "SELECT * FROM leg WHERE connection_id = ? ORDER BY id", id
                ) { Tables.leg.row($0) }
                detail.events = try list(
                    "SELECT * FROM event WHERE connection_id = ? ORDER BY id", id
                ) { Tables.event.row($0) }
                detail.gaps = try list(
                    "SELECT * FROM gap WHERE connection_id = ? ORDER BY id", id
                ) { Tables.gap.row($0) }
                detail.faults = try faults(on: row.id)
                return detail
            }
        }
    }

    /// The gaps of the trace.
    public func gaps() throws(TraceError) -> [GapRow] {
        try reported { () throws(StorageFault) in
            try list("SELECT * FROM gap ORDER BY id", []) { Tables.gap.row($0) }
        }
    }

    /// The gaps of connections whose rows are there, with their numbers.
    ///
    /// - Parameter first: Those after this number.
    /// - Returns: Each with its number, in their order.
    /// - Throws: ``TraceError`` with code `storage`.
    public func gaps(after first: Int64) throws(TraceError) -> [(id: Int64, row: GapRow)] {
        try reported { () throws(StorageFault) in
            try list(
                """
                SELECT * FROM gap WHERE id > ? AND connection_id IS NOT NULL
                  AND reason <> 'evicted' ORDER BY id
                """, [first]
            ) { ($0.integer(0), Tables.gap.row($0)) }
        }
    }

    // MARK: Inside

    /// All rows of `sql`, made by `make`.
    func list<Row>(
        _ sql: String, _ arguments: [Int64], _ make: (Statement) -> Row
    )
        throws(StorageFault) -> [Row]
    {
        try list(
            sql,
            bind: { statement in
                for (index, argument) in zip(Int32(1)..., arguments) {
                    statement.bind(index, argument)
                }
            }, make)
    }

    func list<Row>(
        _ sql: String, bind: (Statement) -> Void, _ make: (Statement) -> Row
    )
        throws(StorageFault) -> [Row]
    {
        let statement = try statement(sql)
        defer { giveBack(statement, sql) }
        bind(statement)
        var rows: [Row] = []
        while try statement.step() { rows.append(make(statement)) }
        return rows
    }

    /// Runs `body`, whose reads see the trace at one moment and lock it once.
    ///
    /// A recording cannot move its log into the file meanwhile, so it is not to wait for anybody.
    ///
    /// - Throws: What `body` throws.
    public func together<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // What keeps a transaction from beginning is met by the reads as well.
        let isOwn = db.isIdle && (try? db.execute("BEGIN")) != nil
        defer { if isOwn { db.rollBack() } }
        return try body()
    }

    /// A statement of this text, for ``giveBack(_:_:)`` when it is no longer used.
    func statement(_ sql: String) throws(StorageFault) -> Statement {
        try statements.take(sql, of: db)
    }

    /// Keeps a statement of this text for its next use.
    func giveBack(_ statement: Statement, _ sql: String) {
        statements.give(back: statement, sql)
    }

    /// Runs `body` and converts its failures to those of this module.
    func reported<Result>(_ body: () throws(StorageFault) -> Result) throws(TraceError) -> Result {
        do {
            return try body()
        } catch {
            throw error.traceError(at: path)
        }
    }
}
