internal import Dissection
internal import Storage
public import Wire

/// Reads everything of one session in order of time, also while it is being written.
///
/// Each call reads the rows since the last one, in one transaction, and returns none twice. Rows
/// are in order of time except where threads overtake each other, so each table is read a little
/// ahead. For one thread at a time.
public final class EvidenceReader {
    /// Reads contents that are kept in part.
    public let contents: ReplayReader
    /// The session.
    public let session: SessionID
    var db: Connection { contents.db }

    private var sources: [Source] = []
    private var queue = EvidenceQueue()
    /// Exchanges that were running when they were read, and whether their request was passed on.
    private var open: [Int64: Bool] = [:]
    private var lastGap: Int64 = 0
    /// The last command that was read; its message may have further ones.
    private var lastCommand: Int64 = 0
    private var hasFaults = false
    private var faults: [Int64: [FaultRow]] = [:]
    var kept = EvidenceSides()

    /// Nanoseconds that tables are read ahead.
    private static let ahead: Int64 = 100_000_000
    /// The same where faults held bytes, whose rows are written when they go on.
    private static let aheadOfFaults: Int64 = 60_000_000_000
    /// Rows of one table that are read ahead at most.
    private static let maxAhead = 16_384

    /// A table as it is read, row by row.
    struct Source {
        let table: EvidenceBounds.Table
        /// Number of the last row that was read.
        var last: Int64
        /// Number of the last row there may be.
        let end: Int64
        /// Time of that row.
        var at = Int64.min
        /// Rows that were read since one was passed on.
        var ahead = 0
        var isOver = false
        var statement: Statement?
    }

    /// Reads a session of the trace at `path`.
    ///
    /// - Parameters:
    ///   - path: The trace.
    ///   - session: The session.
    ///   - bounds: Where its rows are; nil for a session that has begun without rows yet.
    /// - Throws: ``TraceError`` where there is no trace, or one of another format.
    public init(
        path: String, session: SessionID, bounds: EvidenceBounds?
    ) throws(TraceError) {
        contents = try ReplayReader(path: path)
        self.session = session
        sources = try contents.reader.reported { () throws(StorageFault) in
            var sources: [Source] = []
            for table in EvidenceBounds.Table.allCases {
                var range: ClosedRange<Int64>?
                if let bounds {
                    range = bounds.range(of: table, session)
                } else {
                    let last = try contents.db.integer("SELECT max(id) FROM \(table.rawValue)")
                    range = last + 1...Int64.max
                }
                sources.append(
                    Source(
                        table: table, last: (range?.lowerBound ?? 1) - 1,
                        end: range?.upperBound ?? 0))
            }
            return sources
        }
    }

    /// A warning about this trace; nil without one.
    public var warning: String? { contents.warning }

    /// Passes on the rows since the last call, in order of time.
    ///
    /// - Parameters: - moment: The last time that is included; later rows are left to a later call.
    ///   Nil for all. - isOver: Whether no more rows will come: running exchanges are passed on
    ///   with their request. - most: The maximum number of entries, so that reading does not hold
    ///   the log of a trace that is being written for long. - goesOn: Asked before each entry
    ///   whether to pass it on; if not, it is left to a later call. - body: Receives each entry,
    ///   within the transaction.
    /// - Returns: Whether all were passed on that there are.
    /// - Throws: ``TraceError`` with code `storage`.
    @discardableResult public func read(
        upto moment: Instant? = nil, isOver: Bool, most: Int = 65_536,
        while goesOn: () -> Bool = { true }, _ body: (EvidenceEntry) -> Void
    ) throws(TraceError) -> Bool {
        try contents.reader.reported { () throws(StorageFault) in
            try db.transaction("BEGIN") { () throws(StorageFault) in
                try begin(isOver: isOver)
                defer { for source in sources { source.statement?.reset() } }
                var count = 0
                while count < most, goesOn() {
                    try readAhead(isOver: isOver)
                    guard let first = queue.first, first <= moment?.nanoseconds ?? .max,
                        let item = queue.pop()
                    else { return true }
                    for index in sources.indices { sources[index].ahead = 0 }
                    body(try entry(item))
                    count += 1
                }
                return false
            }
        }
    }

    /// When the last bytes arrived that are in the trace; nil without any.
    public func newest() throws(TraceError) -> Instant? {
        try contents.reader.reported { () throws(StorageFault) in
            try contents.reader.list(
                "SELECT at_ns FROM chunk WHERE id = (SELECT max(id) FROM chunk)", []
            ) { $0.instant(0) }.first
        }
    }

    private func entry(_ item: EvidenceQueue.Item) throws(StorageFault) -> EvidenceEntry {
        switch item {
        case .entry(let entry): return entry
        case .asked(let row): return .asked(try exchange(row, isAnswered: false))
        case .answered(let row): return .answered(try exchange(row, isAnswered: true))
        }
    }

    private func exchange(
        _ row: ExchangeRow, isAnswered: Bool
    ) throws(StorageFault) -> EvidenceExchangeRow {
        let id = row.id.rawValue
        let request = try kept.side(id, .client, db, isLast: isAnswered)
        let response = isAnswered ? try kept.side(id, .server, db, isLast: true) : nil
        let done = hasFaults ? faults[id] ?? [] : []
        if isAnswered, hasFaults { faults[id] = nil }
        return EvidenceExchangeRow(row: row, request: request, response: response, faults: done)
    }

    // MARK: Reading ahead

    private func begin(isOver: Bool) throws(StorageFault) {
        if !hasFaults {
            hasFaults =
                try db.integer("SELECT EXISTS (SELECT 1 FROM fault_statement)") == 1
        }
        try kept.begin(db)
        for index in sources.indices {
            let source = sources[index]
            let statement: Statement
            if let known = source.statement {
                statement = known
            } else {
                statement = try db.prepare(sql(source.table))
                sources[index].statement = statement
            }
            // A message may have been left between two of its commands.
            statement.bind(1, source.table == .message ? source.last - 1 : source.last)
            statement.bind(2, source.end)
            statement.bind(3, session.rawValue)
            sources[index].isOver = false
            sources[index].ahead = 0
        }
        try readGaps()
        try readOpen(isOver: isOver)
    }

    private func sql(_ table: EvidenceBounds.Table) -> String {
        switch table {
        case .connection, .event, .exchange, .note:
            return "SELECT * FROM \(table.rawValue) "
                + "WHERE id > ?1 AND id <= ?2 AND session_id = ?3 ORDER BY id"
        case .fault:
            return """
                SELECT id, coalesce((SELECT x.counterpart_id FROM any_exchange x
                  WHERE x.id = exchange_id AND x.side = 'server'), exchange_id), message_id,
                  \(Tables.shownFault.sql()) FROM intervention
                WHERE id > ?1 AND id <= ?2 AND session_id = ?3 ORDER BY id
                """
        case .message:
            return """
                SELECT \(Tables.command.columnList("c.", only: Self.ofCommand)), (SELECT coalesce(d.text, n.payload) FROM any_command d
                  JOIN any_message n ON n.id = d.message_id WHERE d.id = c.counterpart_id), m.*
                FROM any_message m LEFT JOIN any_command c ON c.message_id = m.id
                WHERE m.id > ?1 AND m.id <= ?2 AND m.session_id = ?3 ORDER BY m.id, c.id
                """
        }
    }

    /// Reads until no unread row can come before the first that waits.
    private func readAhead(isOver: Bool) throws(StorageFault) {
        let ahead = hasFaults ? Self.aheadOfFaults : Self.ahead
        for index in sources.indices {
            while !sources[index].isOver,
                sources[index].ahead < Self.maxAhead || queue.first == nil
            {
                if let first = queue.first, sources[index].at > first &+ ahead { break }
                try step(index, isOver: isOver)
            }
        }
    }

    private func step(_ index: Int, isOver: Bool) throws(StorageFault) {
        guard let statement = sources[index].statement, try statement.step() else {
            sources[index].isOver = true
            return
        }
        sources[index].ahead += 1
        let at: Instant
        var id = statement.integer(0)
        switch sources[index].table {
        case .connection:
            let row = Tables.connection.row(statement)
            at = row.at
            add(.connection(row), at, 0)
        case .event:
            let row = Tables.event.row(statement)
            at = row.at
            add(.event(row), at, 7)
        case .note:
            let row = Tables.note.row(statement)
            at = row.at
            add(.note(row), at, 6)
        case .exchange:
            let row = Tables.exchange.row(statement)
            at = row.startedAt
            add(row, wasAsked: false, isOver: isOver)
        case .fault:
            let row = statement.evidenceFault()
            at = row.row.at
            if let exchange = row.exchange {
                faults[exchange.rawValue, default: []].append(row.row)
            }
            add(.fault(row), at, 1)
        case .message:
            id = statement.integer(Self.messageColumn)
            at = statement.instant(Self.messageColumn + 6)
            let command = statement.integer(0)
            guard id != sources[index].last || command > lastCommand else { return }
            lastCommand = max(lastCommand, command)
            addMessage(statement, at)
        }
        sources[index].last = id
        sources[index].at = max(sources[index].at, at.nanoseconds)
    }

    private func add(_ entry: EvidenceEntry, _ at: Instant, _ rank: UInt64) {
        queue.add(.entry(entry), at: at, rank: rank)
    }

    /// Where the columns of the message are.
    private static let messageColumn = Tables.command.width + 1
    /// What is needed of a command beside its text, which says the rest.
    private static let ofCommand = Tables.command.columns(
        of: "id message_id connection_id position sender at_ns channel name app text error side "
            + "fate counterpart_id")
    /// What is needed of a message beside its command.
    private static let besideCommand = Tables.message.columns(
        of: "payload size problem chunk_id offset")

    private func addMessage(_ statement: Statement, _ at: Instant) {
        guard !statement.isNull(0) else {
            let message = Tables.message.row(statement, from: Self.messageColumn)
            // The client's row speaks for both.
            if message.side != .server || message.fate.isOfOneSide { add(.message(message), at, 5) }
            return
        }
        let row = Tables.command.row(statement, from: 0, only: Self.ofCommand)
        guard row.side != .server || row.counterpart == nil || row.fate.isOfOneSide else { return }
        let message = Tables.message.row(
            statement, from: Self.messageColumn, only: Self.besideCommand)
        let text = row.text ?? message.payload
        // A message that ends inside a frame is the rest that a cut connection left.
        let isCut =
            message.problem != nil || row.text == nil && Int64(text.count) < message.size
        let counterpart = Tables.command.width
        add(
            .command(
                EvidenceCommandRow(
                    row: row, text: text,
                    other: statement.isNull(counterpart) ? nil : statement.bytes(counterpart),
                    place: message.place, isCut: isCut)), at, 5)
    }

    // MARK: Exchanges

    private func add(_ row: ExchangeRow, wasAsked: Bool, isOver: Bool) {
        let isOpen = row.outcome == .open
        let isAsked = row.requestEndedAt != nil || !isOpen || isOver
        if isAsked, !wasAsked {
            let end = row.endedAt ?? .init(nanoseconds: .max)
            let at = min(row.requestEndedAt ?? row.startedAt, end)
            queue.add(.asked(row), at: at, rank: 2)
        }
        if isOpen {
            open[row.id.rawValue] = isAsked
        } else {
            open[row.id.rawValue] = nil
            queue.add(.answered(row), at: row.endedAt ?? row.startedAt, rank: 3)
        }
    }

    /// Reads those that were running again.
    private func readOpen(isOver: Bool) throws(StorageFault) {
        guard !open.isEmpty else { return }
        let statement = try db.prepare("SELECT * FROM any_exchange WHERE id = ?")
        for (id, wasAsked) in open.sorted(by: { $0.key < $1.key }) {
            statement.bind(1, id)
            if try statement.step() {
                add(Tables.exchange.row(statement), wasAsked: wasAsked, isOver: isOver)
            } else {
                open[id] = nil
            }
            statement.reset()
        }
    }

    /// Reads what is missing, which may have been written much later.
    private func readGaps() throws(StorageFault) {
        let statement = try db.prepare(
            "SELECT * FROM gap WHERE id > ? AND session_id = ? ORDER BY id")
        statement.bind(1, lastGap)
        statement.bind(2, session.rawValue)
        while try statement.step() {
            lastGap = statement.integer(0)
            let row = Tables.gap.row(statement)
            add(.gap(row), row.at, 4)
        }
    }
}

extension Statement {
    fileprivate func evidenceFault() -> EvidenceFaultRow {
        EvidenceFaultRow(
            row: Tables.shownFault.row(self, from: 3),
            // A fault on a message does not count for the exchange that opened its WebSocket.
            exchange: isNull(2) ? optionalInteger(1).map { ExchangeID($0) } : nil)
    }
}
