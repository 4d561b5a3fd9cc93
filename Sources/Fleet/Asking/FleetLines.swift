internal import Dissection
internal import Filters
internal import Trace
internal import Wire

/// The rows of a fleet that a question is about, in order of session and time.
public struct FleetLines {
    private let reader: FleetReader
    private let question: FleetQuestion
    private let showsSockets: Bool
    /// Further conditions, such as which batches are meant; nil for none.
    ///
    /// Of a kind that has none here there are no rows.
    var more: [FilterSubject: String]?

    /// Rows of one table that are read at a time, and sessions that are read together.
    private static let page = 1_000
    private static let sessionsAtOnce = 200

    /// The rows that `question` is about.
    ///
    /// - Parameters:
    ///   - reader: Asks the fleet.
    ///   - question: Which rows.
    ///   - showsSockets: Whether exchanges that opened a WebSocket get its size.
    public init(_ reader: FleetReader, _ question: FleetQuestion, showsSockets: Bool = false) {
        self.reader = reader
        self.question = question
        self.showsSockets = showsSockets
    }

    /// Passes on the lines, at most `limit` of them, while `body` returns true.
    ///
    /// The sessions are found first; then the rows of some of them are read page by page.
    ///
    /// - Throws: ``FleetError``.
    public func forEach(
        limit: Int? = nil, _ body: (FleetLine) -> Bool
    ) throws(FleetError) {
        var left = limit ?? .max
        guard left > 0 else { return }
        var sessions = try sessions()[...]
        while !sessions.isEmpty {
            var some: [FleetSession] = []
            var rows: Int64 = 0
            while let next = sessions.first, some.count < Self.sessionsAtOnce,
                some.isEmpty || rows + next.rows <= Self.page
            {
                rows += next.rows
                some.append(next.session)
                sessions.removeFirst()
            }
            try reader.label(&some)
            guard try pass(some, &left, body) else { return }
        }
    }

    /// The condition for rows of `subject`; nil where there are none.
    private func condition(_ subject: FilterSubject) -> String? {
        guard let condition = question.condition(subject) else { return nil }
        guard let more else { return condition }
        return more[subject].map { "\(condition) AND \($0)" }
    }

    /// The sessions with such rows, in order, each with how many.
    private func sessions() throws(FleetError) -> [(session: FleetSession, rows: Int64)] {
        var found: [FleetSession: Int64] = [:]
        for subject in FilterSubject.allCases {
            guard let condition = condition(subject) else { continue }
            let rows = try reader.rows(
                """
                SELECT recorder, session_id, at_unix_ns - \(subject.clockColumn) AS start, count() \
                FROM \(subject.fleetTable) WHERE \(condition) \
                GROUP BY recorder, session_id, start
                """)
            for row in rows where row.count == 4 {
                let session = FleetSession(
                    recorder: FleetTableRows.text(row[0]),
                    number: SessionID(FleetTableRows.number(row[1])),
                    startedUnixNanoseconds: FleetTableRows.number(row[2]))
                found[session, default: 0] += FleetTableRows.number(row[3])
            }
        }
        return found.map { ($0.key, $0.value) }.sorted { $0.session.precedes($1.session) }
    }

    /// Passes on the lines of some sessions; false where that is enough.
    private func pass(
        _ sessions: [FleetSession], _ left: inout Int, _ body: (FleetLine) -> Bool
    ) throws(FleetError) -> Bool {
        let facts = try SessionFacts(
            reader, sessions, sockets: showsSockets ? question.side : nil)
        var cursors: [FleetCursor] = []
        for subject in FilterSubject.allCases {
            guard let condition = condition(subject) else { continue }
            cursors.append(
                FleetCursor(
                    reader, subject, condition, sessions, facts, page: min(Self.page, left)))
        }
        while left > 0 {
            var next: (place: Int, line: FleetLine)?
            for index in cursors.indices {
                guard let line = try cursors[index].peek() else { continue }
                if let found = next, !line.precedes(found.line) { continue }
                next = (index, line)
            }
            guard let (place, line) = next else { return true }
            cursors[place].pop()
            left -= 1
            guard body(line) else { return false }
        }
        return false
    }
}

/// The rows of one table of some sessions, page by page.
private struct FleetCursor {
    private let reader: FleetReader
    private let subject: FilterSubject
    private let condition: String
    private let sessions: [String: [Int64: FleetSession]]
    private let facts: SessionFacts
    private let page: Int
    private var lines: ArraySlice<FleetLine> = []
    /// The place of the last row that was read; nil before the first.
    private var last: String?
    private var isOver = false

    init(
        _ reader: FleetReader, _ subject: FilterSubject, _ condition: String,
        _ sessions: [FleetSession], _ facts: SessionFacts, page: Int
    ) {
        self.reader = reader
        self.subject = subject
        let among = sessions.map(\.literal).joined(separator: ", ")
        self.condition = "(recorder, session_id) IN (\(among)) AND \(condition)"
        var known: [String: [Int64: FleetSession]] = [:]
        for session in sessions {
            known[session.recorder, default: [:]][session.number.rawValue] = session
        }
        self.sessions = known
        self.facts = facts
        self.page = page
    }

    /// The next line; nil behind the last.
    mutating func peek() throws(FleetError) -> FleetLine? {
        if lines.isEmpty, !isOver { try read() }
        return lines.first
    }

    /// Goes on to the line after the next.
    mutating func pop() { lines.removeFirst() }

    private var table: TableDefinition {
        switch subject {
        case .exchange: Tables.exchange.definition
        case .command: Tables.command.definition
        case .message: Tables.message.definition
        }
    }

    private mutating func read() throws(FleetError) {
        let start = "at_unix_ns - \(subject.clockColumn)"
        let order = "\(start), recorder, session_id, \(subject.lineColumn), id"
        let more =
            switch subject {
            case .exchange: "request_chunk_id, request_offset"
            case .command: "message_chunk_id, message_offset"
            case .message: "is_text, 0"
            }
        let rows = try reader.rows(
            """
            SELECT recorder, session_id, \(start), \(subject.lineColumn), id, \(more), \
            \(FleetTableRows.columns(table)) FROM \(subject.fleetTable) WHERE \(condition) \
            \(last.map { "AND (\(order)) > (\($0))" } ?? "") ORDER BY \(order) LIMIT \(page)
            """)
        isOver = rows.count < page
        let texts = subject == .command ? try texts(of: rows) : [:]
        var made: [FleetLine] = []
        for row in rows where row.count == 7 + table.columns.count {
            let recorder = FleetTableRows.text(row[0])
            let numbers = row[1...6].map { FleetTableRows.number($0) }
            last =
                "\(numbers[1]), \(TabSeparated.literal(recorder)), \(numbers[0]), \(numbers[2]), \(numbers[3])"
            guard let session = sessions[recorder]?[numbers[0]] else { continue }
            let values = FleetTableRows.values(
                row[7...], of: table, isText: subject == .message && numbers[4] == 1)
            var line = FleetLine(session: session, line: line(session.number, values))
            var place: (chunk: Int64, offset: Int64)? = (numbers[4], numbers[5])
            switch line.line {
            case .exchange(_, let exchange):
                // What both sides have begins at the same place; the client's shows it.
                if exchange.side == .server, exchange.counterpart != nil { place = nil }
            case .command(_, let command):
                line.text =
                    row[7 + (table.index("text") ?? 0)]
                    ?? texts[MessageKey(recorder: recorder, id: command.message.rawValue)] ?? []
                if command.position > 0 || command.side == .server && command.counterpart != nil {
                    place = nil
                }
            case .message: place = nil
            }
            facts.complete(&line, at: place)
            // A row that was sent twice and not replaced yet is there twice.
            if let before = made.last, before.line == line.line, before.session == session {
                continue
            }
            made.append(line)
        }
        lines = made[...]
        if lines.isEmpty, !isOver { try read() }
    }

    private func line(_ session: SessionID, _ values: [StoredValue]) -> TraceLine {
        switch subject {
        case .exchange: .exchange(session, Tables.exchange.row(values))
        case .command: .command(session, Tables.command.row(values))
        case .message: .message(session, Tables.message.row(values))
        }
    }

    private struct MessageKey: Hashable {
        var recorder: String
        var id: Int64
    }

    /// The payloads of the messages of commands that have no text of their own.
    private func texts(of rows: [[[UInt8]?]]) throws(FleetError) -> [MessageKey: [UInt8]] {
        guard let text = table.index("text"), let message = table.index("message_id") else {
            return [:]
        }
        let keys = rows.compactMap { row -> String? in
            guard row.count == 7 + table.columns.count, row[7 + text] == nil else { return nil }
            let recorder = TabSeparated.literal(FleetTableRows.text(row[0]))
            return
                "(\(recorder), \(FleetTableRows.number(row[1])), \(FleetTableRows.number(row[7 + message])))"
        }
        guard !keys.isEmpty else { return [:] }
        var found: [MessageKey: [UInt8]] = [:]
        let payloads = try reader.rows(
            """
            SELECT recorder, id, payload FROM any_message WHERE (recorder, session_id, id) IN (\
            \(keys.joined(separator: ", ")))
            """)
        for row in payloads where row.count == 3 {
            let key = MessageKey(
                recorder: FleetTableRows.text(row[0]), id: FleetTableRows.number(row[1]))
            found[key] = row[2]
        }
        return found
    }
}
