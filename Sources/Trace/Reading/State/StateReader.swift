internal import Storage
public import Wire

/// Reads the rows from which the state of both sides is rebuilt, in order of time.
///
/// Times are nanoseconds since the start of the first session. For one thread at a time.
public final class StateReader {
    private let replay: ReplayReader
    private var reader: TraceReader { replay.reader }

    /// Opens the trace at `path`.
    ///
    /// - Throws: ``TraceError`` where there is none, or one of another format.
    public init(path: String) throws(TraceError) { replay = try ReplayReader(path: path) }

    /// A warning about this trace; nil without one.
    public var warning: String? { replay.warning }
    /// Wall clock at instant zero, nanoseconds since 1970 UTC.
    public var anchor: Int64 { replay.anchor }
    /// The sessions, in order.
    public var sessions: [SessionID] { replay.shifts.keys.sorted().map { SessionID($0) } }
    /// The contents of exchanges.
    public var contents: ReplayReader { replay }

    /// The end of reading.
    private struct Limit {
        var time = Int64.max
        var command = Int64.max
    }

    /// Passes on the rows up to a point in time, in order.
    ///
    /// - Parameters:
    ///   - moment: The last time that counts.
    ///   - progress: Receives now and then how much of that time has passed, in 0...1.
    ///   - body: Receives each entry.
    /// - Returns: The time, and false where the trace has no such row.
    /// - Throws: ``TraceError`` with code `storage`.
    @discardableResult
    public func entries(
        upto moment: StateMoment, progress: (Double) -> Void = { _ in },
        _ body: (StateEntry) -> Void
    ) throws(TraceError) -> (at: Instant?, isFound: Bool) {
        guard let limit = try limit(moment) else { return (nil, false) }
        let last = max(1, min(limit.time, try lastTime()))
        try reader.reported { () throws(StorageFault) in
            let commands = CommandPages(try commandStatement(), replay.shifts, limit.command)
            var exchanges = Queue(try exchanges(limit.time))
            var ends = Queue(try socketEnds())
            var count = 0
            /// Passes on the next entry; false behind the last.
            func pass() throws(StorageFault) -> Bool {
                // Rows of the same time come in this order.
                var next: (at: Int64, take: Int)?
                func offer(_ at: Int64?, _ take: Int) {
                    guard let at, at <= limit.time, at < next?.at ?? .max || next == nil else {
                        return
                    }
                    next = (at, take)
                }
                offer(try commands.peek()?.at.nanoseconds, 1)
                offer(exchanges.first?.sortedAt, 2)
                offer(ends.first?.at, 3)
                count += 1
                if count % 4_096 == 0, let next {
                    progress(min(1, max(0, Double(next.at) / Double(last))))
                }
                switch next?.take {
                case 1: commands.pop().map { body(.command($0)) }
                case 2: exchanges.pop().map { body(.exchange($0.row)) }
                case 3: ends.pop().map { body(.ended($0.socket)) }
                default: return false
                }
                return true
            }
            var isOver = false
            while !isOver {
                // What `body` reads of each entry is little beside locking the trace for it. Not all in
                // one: a recording could not move its log into the file meanwhile.
                try reader.db.transaction("BEGIN") { () throws(StorageFault) in
                    for _ in 0..<256 where !isOver { isOver = try !pass() }
                }
            }
        }
        return (limit.time == .max ? nil : Instant(nanoseconds: limit.time), true)
    }

    /// About when the last row was, by the numbers of rows.
    private func lastTime() throws(TraceError) -> Int64 {
        try reader.reported { () throws(StorageFault) in
            var last: Int64 = 0
            for (table, column) in [("any_command", "at_ns"), ("any_exchange", "started_ns")] {
                let rows = try reader.list(
                    "SELECT session_id, \(column) FROM \(table) ORDER BY id DESC LIMIT 1", []
                ) { ($0.integer(0), $0.integer(1)) }
                for (session, at) in rows {
                    last = max(
                        last, at.addingReportingOverflow(replay.shifts[session] ?? 0).partialValue)
                }
            }
            return last
        }
    }

    // MARK: The point in time

    private func limit(_ moment: StateMoment) throws(TraceError) -> Limit? {
        try reader.reported { () throws(StorageFault) in
            func row(
                _ sql: String, _ id: Int64
            ) throws(StorageFault) -> (session: Int64, at: Int64, other: Int64)? {
                try reader.list(sql, [id]) { ($0.integer(0), $0.integer(1), $0.integer(2)) }.first
            }
            func shifted(_ session: Int64, _ at: Int64) -> Int64 {
                at.addingReportingOverflow(replay.shifts[session] ?? 0).partialValue
            }
            switch moment {
            case .end: return Limit()
            case .time(let time, nil): return Limit(time: time)
            case .time(let time, let session?):
                guard replay.shifts[session.rawValue] != nil else { return nil }
                return Limit(time: shifted(session.rawValue, time))
            case .clock(let unix):
                return Limit(time: unix.subtractingReportingOverflow(anchor).partialValue)
            case .session(let session):
                guard replay.shifts[session.rawValue] != nil else { return nil }
                let later = replay.shifts.filter { $0.key > session.rawValue }.values.min()
                return Limit(time: later.map { $0 - 1 } ?? .max)
            case .exchange(let id):
                guard
                    let row = try row(
                        "SELECT session_id, coalesce(ended_ns, started_ns), 0 FROM any_exchange "
                            + "WHERE id = ?", id.rawValue)
                else { return nil }
                return Limit(time: shifted(row.session, row.at))
            case .command(let id):
                guard
                    let row = try row(
                        "SELECT session_id, at_ns, id FROM any_command WHERE id = ?",
                        id.rawValue)
                else { return nil }
                return Limit(time: shifted(row.session, row.at), command: row.other)
            case .message(let id):
                guard
                    let row = try row(
                        "SELECT session_id, ended_ns, coalesce((SELECT max(c.id) "
                            + "FROM any_command c WHERE c.message_id = m.id), 0) "
                            + "FROM any_message m WHERE id = ?", id.rawValue)
                else { return nil }
                return Limit(
                    time: shifted(row.session, row.at), command: row.other > 0 ? row.other : .max)
            }
        }
    }

    // MARK: Sources

    /// The client's row speaks for both sides, unless each had the command at another time.
    private func commandStatement() throws(StorageFault) -> Statement {
        try reader.db.prepare(
            """
            SELECT c.id, c.session_id, c.connection_id, c.sender, c.at_ns, c.text IS NULL,
              coalesce(c.text, m.payload), m.size, c.side, c.channel IS NULL,
              (SELECT coalesce(d.text, n.payload) FROM any_command d
               JOIN any_message n ON n.id = d.message_id
               WHERE d.id = c.counterpart_id AND d.at_ns = c.at_ns)
            FROM any_command c JOIN any_message m ON m.id = c.message_id
            WHERE c.id > ?1 AND c.id <= ?2 ORDER BY c.id LIMIT ?3
            """)
    }

    private func exchanges(
        _ limit: Int64
    ) throws(StorageFault) -> [(sortedAt: Int64, row: StateExchangeRow)] {
        let statement = try reader.db.prepare(
            Self.exchangeRows
                + " WHERE api IN ('commcare.restore', 'commcare.submit') AND side <> 'server' "
                + "ORDER BY id")
        var rows: [(sortedAt: Int64, row: StateExchangeRow)] = []
        while try statement.step() {
            if let row = exchange(statement, limit) { rows.append(row) }
        }
        return rows.enumerated().sorted {
            ($0.element.sortedAt, $0.offset) < ($1.element.sortedAt, $1.offset)
        }.map(\.element)
    }

    private static let exchangeRows = """
        SELECT id, session_id, connection_id, api, method, host, port, path, query, status,
          started_ns, ended_ns, outcome, is_local, side, counterpart_id FROM any_exchange
        """

    /// An exchange as it was at the time `limit`, and when it counts; nil where it had not begun.
    private func exchange(
        _ statement: Statement, _ limit: Int64
    ) -> (sortedAt: Int64, row: StateExchangeRow)? {
        let shift = replay.shifts[statement.integer(1)] ?? 0
        let started = statement.integer(10) &+ shift
        let end = statement.optionalInteger(11).map { $0 &+ shift }
        let isOver = end.map { $0 <= limit } ?? false
        guard isOver || started <= limit else { return nil }
        let row = StateExchangeRow(
            id: ExchangeID(statement.integer(0)),
            connection: ConnectionID(statement.integer(2)), api: statement.string(3),
            method: statement.string(4), host: statement.string(5), port: statement.int(6),
            path: statement.string(7), query: statement.optionalString(8),
            status: isOver ? statement.optionalInt(9) : nil,
            startedAt: Instant(nanoseconds: started),
            endedAt: isOver ? end.map(Instant.init(nanoseconds:)) : nil,
            isComplete: isOver && statement.string(12) == "complete",
            isLocal: statement.integer(13) != 0,
            side: Side(rawValue: statement.string(14)) ?? .both,
            counterpart: statement.optionalInteger(15).map { ExchangeID($0) })
        // One that is still running counts by its request, and comes last.
        return (isOver ? end ?? started : limit, row)
    }

    /// One exchange, as it was in the end; nil where there is none of that number.
    public func exchange(_ id: ExchangeID) throws(TraceError) -> StateExchangeRow? {
        try reader.reported { () throws(StorageFault) in
            let statement = try reader.db.prepare(Self.exchangeRows + " WHERE id = ?")
            statement.bind(1, id.rawValue)
            return try statement.step() ? exchange(statement, .max)?.row : nil
        }
    }

    private func socketEnds() throws(StorageFault) -> [(at: Int64, socket: ConnectionID)] {
        var sessionEnds: [Int64: Int64] = [:]
        for (session, at) in try reader.list(
            "SELECT session_id, at_ns FROM event WHERE kind = 'session-ended'", [],
            { ($0.integer(0), $0.integer(1)) })
        {
            sessionEnds[session] = at &+ (replay.shifts[session] ?? 0)
        }
        let rows = try reader.list(
            """
            SELECT x.connection_id, x.session_id,
              (SELECT min(e.at_ns) FROM event e WHERE e.connection_id = x.connection_id
                AND e.kind IN ('ended', 'closed') AND e.after_chunk_id >= x.response_chunk_id)
            FROM http_exchange x WHERE x.status = 101 AND x.api = 'simperium.socket'
            """, []
        ) {
            (socket: $0.integer(0), session: $0.integer(1), at: $0.optionalInteger(2))
        }
        return rows.compactMap { row in
            // A finished session has no open sockets, and a killed one ends with the next.
            let at =
                row.at.map { $0 &+ (replay.shifts[row.session] ?? 0) } ?? sessionEnds[row.session]
                ?? replay.shifts.filter { $0.key > row.session }.values.min()
            return at.map { (at: $0, socket: ConnectionID(row.socket)) }
        }.sorted { $0.at < $1.at }
    }
}

/// The existing rows, in order.
private struct Queue<Element> {
    private var elements: [Element]
    private var next = 0

    init(_ elements: [Element]) { self.elements = elements }

    var first: Element? { next < elements.count ? elements[next] : nil }

    mutating func pop() -> Element? {
        guard let first else { return nil }
        next += 1
        return first
    }
}

/// Reads commands page by page, so that no read takes long.
private final class CommandPages {
    private let statement: Statement
    private let shifts: [Int64: Int64]
    private let limit: Int64
    private var page: [StateCommandRow] = []
    private var next = 0
    private var last: Int64 = 0
    private var isOver = false

    private static let pageSize = 2_048

    init(_ statement: Statement, _ shifts: [Int64: Int64], _ limit: Int64) {
        self.statement = statement
        self.shifts = shifts
        self.limit = limit
    }

    func peek() throws(StorageFault) -> StateCommandRow? {
        while next == page.count, !isOver { try load() }
        return next < page.count ? page[next] : nil
    }

    func pop() -> StateCommandRow? {
        guard next < page.count else { return nil }
        next += 1
        return page[next - 1]
    }

    private func load() throws(StorageFault) {
        page.removeAll(keepingCapacity: true)
        next = 0
        statement.bind(1, last)
        statement.bind(2, limit)
        statement.bind(3, Self.pageSize)
        var count = 0
        while try statement.step() {
            count += 1
            last = statement.integer(0)
            guard statement.integer(9) == 0 else { continue }
            if let row = row(statement) { page.append(row) }
        }
        isOver = count < Self.pageSize
    }

    /// A command as each side had it; nil where another row speaks for this one.
    private func row(_ statement: Statement) -> StateCommandRow? {
        let text = statement.bytes(6)
        let sender = statement.peer(3)
        let side = Side(rawValue: statement.string(8)) ?? .both
        let other = statement.isNull(10) ? nil : statement.bytes(10)
        if side == .server, other != nil { return nil }
        let isSent = side.isHad(by: sender)
        let isReceived = side.isHad(by: sender.other)
        return StateCommandRow(
            id: CommandID(last), socket: ConnectionID(statement.integer(2)), sender: sender,
            at: Instant(
                nanoseconds: statement.integer(4) &+ (shifts[statement.integer(1)] ?? 0)),
            sent: isSent ? text : other, received: isReceived ? text : other,
            isCut: statement.integer(5) != 0 && Int64(text.count) < statement.integer(7))
    }
}
