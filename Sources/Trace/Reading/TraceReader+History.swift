public import Dissection
internal import Storage
public import Wire

/// An event of a session that concerns the requests of clients.
public enum HistoryEntry: Hashable, Sendable {
    /// A client connected.
    case connection(ConnectionRow)
    /// An exchange, with the instanceID of the form in its request.
    case exchange(ExchangeRow, instance: String?)
    /// A Simperium command, with its changes; `text` is that of `init`, `auth`, `i`, `e`, `h`
    /// and the `c` of clients.
    case command(CommandRow, changes: [ChangeRow], text: [UInt8])

    /// When: the first byte of an exchange, the last of a command's message.
    public var at: Instant {
        switch self {
        case .connection(let row): row.at
        case .exchange(let row, _): row.startedAt
        case .command(let row, _, _): row.at
        }
    }
}

extension TraceReader {
    /// Passes on connections, exchanges and commands of a session in order of time.
    public func history(
        of session: SessionID, _ body: (HistoryEntry) -> Void
    ) throws(TraceError) {
        try reported { () throws(StorageFault) in
            let sources = [
                try connectionsSource(session), try exchangesSource(session),
                try commandsSource(session),
            ]
            while true {
                var next: (entry: HistoryEntry, source: HistorySource)?
                for source in sources {
                    guard let entry = try source.peek() else { continue }
                    if let found = next, found.entry.at <= entry.at { continue }
                    next = (entry, source)
                }
                guard let next else { return }
                next.source.pop()
                body(next.entry)
            }
        }
    }

    private func connectionsSource(_ session: SessionID) throws(StorageFault) -> HistorySource {
        try HistorySource(db, "SELECT * FROM connection WHERE session_id = ?1", "id", session) {
            .connection(Tables.connection.row($0))
        }
    }

    private func exchangesSource(_ session: SessionID) throws(StorageFault) -> HistorySource {
        try HistorySource(
            db,
            """
            SELECT x.*, (SELECT o.instance_id FROM openrosa o
              WHERE o.exchange_id = x.id AND o.sender = 0 AND o.instance_id IS NOT NULL LIMIT 1)
            FROM http_exchange x WHERE x.session_id = ?1
            """, "x.id", session
        ) { .exchange(Tables.exchange.row($0), instance: $0.optionalString(Tables.exchange.width)) }
    }

    private func commandsSource(_ session: SessionID) throws(StorageFault) -> HistorySource {
        let changes = try db.prepare(
            "SELECT * FROM any_change WHERE id >= \(Tables.share) * ?1 "
                + "AND id < \(Tables.share) * (?1 + 1) ORDER BY id")
        return try HistorySource(
            db,
            """
            SELECT c.*, CASE WHEN c.name IN ('init', 'auth', 'i', 'e', 'h')
              OR c.name = 'c' AND c.sender = 0 THEN coalesce(c.text,
              (SELECT m.payload FROM any_message m WHERE m.id = c.message_id)) END
            FROM simperium_command c WHERE c.session_id = ?1
            """, "c.id", session
        ) { statement throws(StorageFault) in
            let row = Tables.command.row(statement)
            var found: [ChangeRow] = []
            if row.name == "c" {
                changes.bind(1, row.id.rawValue)
                while try changes.step() { found.append(Tables.change.row(changes)) }
            }
            return .command(row, changes: found, text: statement.bytes(Tables.command.width))
        }
    }
}

/// Reads the rows of one table page by page, so that no read takes long.
private final class HistorySource {
    private let statement: Statement
    private let make: (Statement) throws(StorageFault) -> HistoryEntry
    private var page: ArraySlice<HistoryEntry> = []
    private var last: Int64 = 0
    private var isOver = false

    private static let pageSize = 512

    init(
        _ db: Connection, _ select: String, _ id: String, _ session: SessionID,
        _ make: @escaping (Statement) throws(StorageFault) -> HistoryEntry
    ) throws(StorageFault) {
        statement = try db.prepare(
            "\(select) AND \(id) > ?2 ORDER BY \(id) LIMIT \(Self.pageSize)")
        statement.bind(1, session.rawValue)
        self.make = make
    }

    func peek() throws(StorageFault) -> HistoryEntry? {
        if page.isEmpty, !isOver {
            statement.bind(2, last)
            var entries: [HistoryEntry] = []
            while try statement.step() {
                last = statement.integer(0)
                entries.append(try make(statement))
            }
            isOver = entries.count < Self.pageSize
            page = entries[...]
        }
        return page.first
    }

    func pop() { page = page.dropFirst() }
}
