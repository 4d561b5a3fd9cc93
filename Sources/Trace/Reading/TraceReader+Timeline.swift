internal import Dissection
public import Filters
internal import Storage
public import Wire

/// What a timeline shows of a row.
public struct TimelineEvent: Hashable, Sendable {
    /// The row.
    public var place: LinePlace
    /// The session.
    public var session: SessionID
    /// The connection.
    public var connection: ConnectionID
    /// When it began: the first byte of a request, the last of a message with a command.
    public var at: Instant
    /// When an exchange or message ended; nil for a command, and while an exchange is running.
    public var endedAt: Instant?
    /// Who sent it; nil for an exchange.
    public var sender: Peer?
    /// The status of an exchange.
    public var status: Int?
    /// Whether an exchange has an answer, and a command no error.
    public var isGood: Bool
    /// The API of an exchange, the bucket of a command.
    public var subject: String?
    /// Method and path, or name and key; nil where it was not asked for, and of messages.
    public var label: String?
}

/// A mark on a timeline.
public struct TimelineMark: Hashable, Sendable {
    /// When, since the start of its session.
    public var at: Instant
    /// The session.
    public var session: SessionID
    /// The connection; nil for none.
    public var connection: ConnectionID?
    /// What it is: `fault`, `edit`, `gap`, `mark`, `reconnection`, or the kind of an event.
    public var kind: String
    /// The rule, the reason, the name or the particulars.
    public var text: String
}

extension TraceReader {
    /// Rows of each kind up to a number.
    public struct Numbers: Hashable, Sendable {
        /// The last exchange.
        public var exchange: Int64 = 0
        /// The last command.
        public var command: Int64 = 0
        /// The last message.
        public var message: Int64 = 0

        /// None.
        public init() {}

        /// Up to these.
        public init(exchange: Int64, command: Int64, message: Int64) {
            self.exchange = exchange
            self.command = command
            self.message = message
        }
    }

    /// Passes on what a timeline shows of the client's rows, of each kind in order of numbers.
    ///
    /// - Parameters:
    ///   - first: Rows after these.
    ///   - last: Up to these; nil for the present end.
    ///   - labelled: Whether labels are read.
    ///   - body: Receives each and returns whether to go on.
    /// - Returns: The end up to which rows were read.
    /// - Throws: ``TraceError`` with code `storage`.
    public func timeline(
        after first: Numbers, upTo last: Numbers? = nil, labelled: Bool = false,
        _ body: (TimelineEvent) -> Bool
    ) throws(TraceError) -> Numbers {
        let now = try lastNumbers()
        let end =
            last ?? Numbers(exchange: now.exchange, command: now.command, message: now.message)
        try reported { () throws(StorageFault) in
            for subject in FilterSubject.allCases {
                let range =
                    switch subject {
                    case .exchange: (first.exchange, end.exchange)
                    case .command: (first.command, end.command)
                    case .message: (first.message, end.message)
                    }
                let statement = try db.prepare(subject.timeline(labelled: labelled))
                var low = range.0
                // Short reads, so that the log of a trace that is being written does not grow.
                while low < range.1 {
                    let high = min(range.1, low + 50_000)
                    statement.bind(1, low)
                    statement.bind(2, high)
                    while try statement.step() {
                        guard body(TimelineEvent(subject, statement)) else { return }
                    }
                    low = high
                }
            }
        }
        return end
    }

    /// Passes on what a timeline shows of the rows that a filter selects, in order of session and time.
    ///
    /// - Parameters:
    ///   - filter: Which of the client's rows.
    ///   - first: Rows after these.
    ///   - last: Up to these.
    ///   - body: Receives each and returns whether to go on.
    /// - Throws: ``TraceError`` with code `storage`.
    public func timeline(
        _ filter: Filter, after first: Numbers, upTo last: Numbers,
        _ body: (TimelineEvent) -> Bool
    ) throws(TraceError) {
        func range(_ first: Int64, _ last: Int64) -> ClosedRange<Int64>? {
            first < last ? first + 1...last : nil
        }
        let ranges = LineRanges(
            exchanges: range(first.exchange, last.exchange),
            commands: range(first.command, last.command),
            messages: range(first.message, last.message))
        try lines(filter, ranges, with: ListedMessages(for: filter)) { body(TimelineEvent($0)) }
    }

    /// Faults and edits, gaps, marks and events of connections, in order of time.
    ///
    /// - Parameter limit: The maximum number of each kind, the first of them.
    /// - Returns: The marks.
    /// - Throws: ``TraceError`` with code `storage`.
    public func timelineMarks(limit: Int) throws(TraceError) -> [TimelineMark] {
        try reported { () throws(StorageFault) in
            var marks: [TimelineMark] = []
            for query in [
                """
                SELECT at_ns, session_id, connection_id, purpose, rule FROM fault_statement
                WHERE problem IS NULL
                """,
                "SELECT at_ns, session_id, connection_id, 'gap', reason FROM gap",
                "SELECT at_ns, session_id, NULL, 'mark', name FROM mark",
                """
                SELECT e.at_ns, e.session_id, e.connection_id, e.kind, e.detail FROM event e
                WHERE e.kind IN ('refused', 'tls-failed', 'warning', 'session-ended')
                """,
            ] {
                marks += try list("\(query) ORDER BY id LIMIT ?", [Int64(limit)]) {
                    TimelineMark(
                        at: $0.instant(0), session: SessionID($0.integer(1)),
                        connection: $0.optionalInteger(2).map { ConnectionID($0) },
                        kind: $0.string(3), text: $0.string(4))
                }
            }
            marks += try reconnections(limit: limit)
            return marks.sorted { ($0.session, $0.at) < ($1.session, $1.at) }
        }
    }

    /// Sockets that a client opened after an earlier one to the same place.
    private func reconnections(limit: Int) throws(StorageFault) -> [TimelineMark] {
        let sockets = try list(
            """
            SELECT x.started_ns, x.session_id, x.connection_id, c.client, x.host || x.path
            FROM any_exchange x JOIN connection c ON c.id = x.connection_id
            WHERE x.status = 101 AND x.side <> 'server' ORDER BY x.id LIMIT ?
            """, [Int64(limit)]
        ) {
            (
                mark: TimelineMark(
                    at: $0.instant(0), session: SessionID($0.integer(1)),
                    connection: ConnectionID($0.integer(2)), kind: "reconnection", text: ""),
                client: $0.string(3), place: $0.string(4)
            )
        }
        var counts: [String: Int] = [:]
        return sockets.compactMap { socket in
            // The port differs with every connection of a client.
            let client = socket.client.lastIndex(of: ":").map { socket.client[..<$0] } ?? ""
            let count = counts["\(client) \(socket.place)", default: 0] + 1
            counts["\(client) \(socket.place)"] = count
            guard count > 1 else { return nil }
            var mark = socket.mark
            mark.text = "socket \(count) of \(client)"
            return mark
        }
    }

    /// The addresses that clients connected from.
    ///
    /// - Parameter first: Of connections after this one.
    /// - Returns: `HOST:PORT` by connection.
    /// - Throws: ``TraceError`` with code `storage`.
    public func clients(
        after first: ConnectionID
    ) throws(TraceError) -> [(connection: ConnectionID, client: String)] {
        try reported { () throws(StorageFault) in
            try list("SELECT id, client FROM connection WHERE id > ? ORDER BY id", [first.rawValue])
            {
                (ConnectionID($0.integer(0)), $0.string(1))
            }
        }
    }
}

extension FilterSubject {
    /// The query for what a timeline shows.
    fileprivate func timeline(labelled: Bool) -> String {
        switch self {
        case .exchange:
            """
            SELECT x.id, x.session_id, x.connection_id, x.started_ns, x.ended_ns, NULL, x.status,
              x.status IS NOT NULL OR x.outcome = 'open', x.api,
              \(labelled ? "x.method || ' ' || x.path" : "NULL")
            FROM any_exchange x WHERE x.id > ?1 AND x.id <= ?2 AND x.side <> 'server' ORDER BY x.id
            """
        case .command:
            """
            SELECT c.id, c.session_id, c.connection_id, c.at_ns, NULL, c.sender, NULL,
              c.error IS NULL, c.bucket, \(labelled ? "c.name || coalesce(' ' || c.key, '')" : "NULL")
            FROM any_command c WHERE c.id > ?1 AND c.id <= ?2 AND c.side <> 'server' ORDER BY c.id
            """
        case .message:
            """
            SELECT m.id, m.session_id, m.connection_id, m.at_ns, m.ended_ns, m.sender, NULL,
              m.problem IS NULL, NULL, NULL
            FROM any_message m WHERE m.id > ?1 AND m.id <= ?2 AND m.side <> 'server'
              AND m.exchange_id IN (SELECT id FROM any_exchange WHERE status = 101
                AND api = 'websocket') ORDER BY m.id
            """
        }
    }
}

extension TimelineEvent {
    /// What a timeline shows of a line.
    public init(_ line: TraceLine) {
        switch line {
        case .exchange(let session, let row):
            self.init(
                place: line.place, session: session, connection: row.connection,
                at: row.startedAt, endedAt: row.endedAt, sender: nil, status: row.status,
                isGood: row.status != nil || row.outcome == .open, subject: row.api,
                label: "\(row.method) \(row.path)")
        case .command(let session, let row):
            self.init(
                place: line.place, session: session, connection: row.connection, at: row.at,
                endedAt: nil, sender: row.sender, status: nil, isGood: row.error == nil,
                subject: row.bucket, label: row.key.map { "\(row.name) \($0)" } ?? row.name)
        case .message(let session, let row):
            self.init(
                place: line.place, session: session, connection: row.connection, at: row.at,
                endedAt: row.endedAt, sender: row.sender, status: nil,
                isGood: row.problem == nil, subject: nil)
        }
    }

    fileprivate init(_ subject: FilterSubject, _ row: Statement) {
        self.init(
            place: LinePlace(subject, row.integer(0)), session: SessionID(row.integer(1)),
            connection: ConnectionID(row.integer(2)), at: row.instant(3),
            endedAt: row.optionalInstant(4),
            sender: row.isNull(5) ? nil : row.peer(5), status: row.optionalInt(6),
            isGood: row.integer(7) == 1, subject: row.optionalString(8),
            label: row.optionalString(9))
    }
}
