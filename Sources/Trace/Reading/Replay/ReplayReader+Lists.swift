internal import Platform
internal import Storage
public import Wire

/// Lists of all exchanges and commands, each in one pass.
extension ReplayReader {
    /// Upper bounds of the numbers of exchanges and commands.
    public func bounds() throws(TraceError) -> (exchanges: Int, commands: Int) {
        try reader.reported { () throws(StorageFault) in
            // Numbers have few holes. No row takes less than 32 bytes of the file.
            let most = try db.integer("PRAGMA page_count") * db.integer("PRAGMA page_size") / 32
            func span(_ table: String) throws(StorageFault) -> Int {
                let first = try db.integer("SELECT min(id) FROM \(table)")
                let last = try db.integer("SELECT max(id) FROM \(table)")
                return Int(max(0, min(most, last.subtractingReportingOverflow(first).0 &+ 1)))
            }
            return (try span("http_exchange"), try span("simperium_command"))
        }
    }

    /// The numbers of the first and the last exchange; nil where there are none.
    public func exchangeNumbers() throws(TraceError) -> ClosedRange<Int64>? {
        try reader.reported { () throws(StorageFault) in
            guard try db.integer("SELECT EXISTS (SELECT 1 FROM any_exchange)") != 0 else {
                return nil
            }
            let first = try db.integer("SELECT min(id) FROM any_exchange")
            return first...max(first, try db.integer("SELECT max(id) FROM any_exchange"))
        }
    }

    /// Passes on the exchanges with numbers in a range in order, all but CONNECT and what cannot be
    /// read as a request, with times since the start of the first session.
    ///
    /// - Parameters:
    ///   - numbers: The range; default: all.
    ///   - body: Receives each; borrowed bytes are valid during the call only.
    /// - Throws: ``TraceError`` with code `storage`.
    public func exchanges(
        _ numbers: ClosedRange<Int64> = .min ... .max, _ body: (ReplayExchangeRow) -> Void
    ) throws(TraceError) {
        try reader.reported { () throws(StorageFault) in
            // Nearly all traces have one session, so it need not be looked up for each row.
            let session = shifts.count == 1 ? "" : ", session_id"
            // Each method by itself: for a list of them SQLite reads each as a number as well.
            let rows = try kept(
                &exchangesStatement,
                """
                SELECT id, connection_id, api, method, host, port, path, query, status,
                  started_ns, responded_ns, ended_ns\(session) FROM http_exchange
                WHERE method <> 'CONNECT' AND method <> '?'\(ofSession) AND id BETWEEN ? AND ?
                ORDER BY id
                """)
            defer { rows.reset() }
            rows.bind(1, numbers.lowerBound)
            rows.bind(2, numbers.upperBound)
            var shift = SessionShift(shifts)
            while try rows.step() {
                let shift = session.isEmpty ? 0 : shift.nanoseconds(rows.integer(12))
                body(
                    ReplayExchangeRow(
                        id: ExchangeID(rows.integer(0)), connection: ConnectionID(rows.integer(1)),
                        api: rows.borrowed(2), method: rows.borrowed(3), host: rows.borrowed(4),
                        port: rows.int(5), path: rows.borrowed(6),
                        query: rows.isNull(7) ? nil : rows.borrowed(7),
                        status: rows.optionalInt(8), startedAt: rows.instant(9, shift),
                        respondedAt: rows.optionalInstant(10, shift),
                        endedAt: rows.optionalInstant(11, shift)))
            }
        }
    }

    /// Passes on the Simperium commands in order, also the rest of one that a cut connection left.
    ///
    /// - Parameter body: Receives each; borrowed bytes are valid during the call only.
    /// - Throws: ``TraceError`` with code `storage`.
    public func commands(_ body: (ReplayCommandRow) -> Void) throws(TraceError) {
        try reader.reported { () throws(StorageFault) in
            // Nearly all traces have one session, so it need not be looked up for each row.
            let session = shifts.count == 1 ? "" : ", session_id"
            var shift = SessionShift(shifts)
            try rows(
                """
                SELECT id, connection_id, sender, at_ns, channel, name\(session)
                FROM simperium_command WHERE true\(ofSession)
                """
            ) { row in
                let shift = session.isEmpty ? 0 : shift.nanoseconds(row.integer(6))
                body(
                    ReplayCommandRow(
                        id: CommandID(row.integer(0)), socket: ConnectionID(row.integer(1)),
                        sender: row.peer(2), at: row.instant(3, shift),
                        channel: row.optionalInt(4), name: row.borrowed(5)))
            }
        }
    }

    /// Those of some commands whose connection ended before they were complete: they were not
    /// delivered.
    ///
    /// - Throws: ``TraceError`` with code `storage`.
    public func torn(_ commands: [CommandID]) throws(TraceError) -> [CommandID] {
        try reader.reported { () throws(StorageFault) in
            let row = try db.prepare(
                """
                SELECT 1 FROM simperium_command c JOIN message m ON m.id = c.message_id
                WHERE c.id = ? AND m.problem LIKE '%the stream ends%'
                """)
            var torn: [CommandID] = []
            for command in commands {
                row.bind(1, command.rawValue)
                if try row.step() { torn.append(command) }
                row.reset()
            }
            return torn
        }
    }

    /// The messages that contain commands.
    ///
    /// - Throws: ``TraceError`` with code `storage`.
    public func messages(
        of commands: [ConnectionID: CommandID]
    ) throws(TraceError) -> [ConnectionID: MessageID] {
        try reader.reported { () throws(StorageFault) in
            let row = try db.prepare("SELECT message_id FROM any_command WHERE id = ?")
            var messages: [ConnectionID: MessageID] = [:]
            for (connection, command) in commands {
                row.bind(1, command.rawValue)
                if try row.step() { messages[connection] = MessageID(row.integer(0)) }
                row.reset()
            }
            return messages
        }
    }

    /// Passes on each `ccid` of the changes in all commands, in the order of the commands.
    ///
    /// - Parameter body: Receives the command and the `ccid`, which is valid during the call only.
    /// - Throws: ``TraceError`` with code `storage`.
    public func ccids(
        _ body: (CommandID, UnsafeRawBufferPointer) -> Void
    ) throws(TraceError) {
        try reader.reported { () throws(StorageFault) in
            try rows("SELECT id, command_id, ccid FROM change WHERE ccid IS NOT NULL") {
                changes in
                let command = CommandID(changes.integer(1))
                Self.words(changes.borrowed(2)) { body(command, $0) }
            }
        }
    }

    /// Passes on the words between spaces.
    private static func words(
        _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        guard var rest = bytes.baseAddress else { return }
        let last = rest + bytes.count
        while rest < last {
            let end = memchr(rest, 0x20, last - rest).map { UnsafeRawPointer($0) } ?? last
            if end > rest { body(UnsafeRawBufferPointer(start: rest, count: end - rest)) }
            rest = end + 1
        }
    }

    /// Passes on the rows of a list in the order of their numbers.
    ///
    /// - Parameters:
    ///   - sql: A query whose first column is `id`, and which ends with its conditions.
    ///   - body: Receives each row.
    /// - Throws: ``StorageFault`` where the file cannot be read.
    private func rows(
        _ sql: String, _ body: (Statement) -> Void
    ) throws(StorageFault) {
        let statement = try db.prepare("\(sql) ORDER BY id")
        while try statement.step() { body(statement) }
    }
}

/// The shift of the times of a session, which is that of the last row nearly always.
private struct SessionShift {
    private let shifts: [Int64: Int64]
    private var last: (session: Int64, nanoseconds: Int64)?

    init(_ shifts: [Int64: Int64]) { self.shifts = shifts }

    mutating func nanoseconds(_ session: Int64) -> Int64 {
        if let last, last.session == session { return last.nanoseconds }
        let nanoseconds = shifts[session] ?? 0
        last = (session, nanoseconds)
        return nanoseconds
    }
}
