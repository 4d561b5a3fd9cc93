internal import Dissection
internal import Filters
internal import Trace
internal import Wire

/// What some sessions have beside their rows: faults, findings and the sizes of WebSockets.
struct SessionFacts {
    /// Where something begins: chunk and offset at a recorder.
    private struct Start: Hashable {
        var recorder: String
        var chunk: Int64
        var offset: Int64
    }

    private var faulted: [String: FaultedRows] = [:]
    private var marks: [Start: [DiagnosedRows.Mark]] = [:]
    private var sockets: [String: [ExchangeID: SocketSize]] = [:]

    /// The facts of `sessions`; with `side`, also the sizes of the WebSockets of that side.
    init(
        _ reader: FleetReader, _ sessions: [FleetSession], sockets side: LineSide?
    ) throws(FleetError) {
        let condition =
            "(recorder, session_id) IN (\(sessions.map(\.literal).joined(separator: ", ")))"
        try readFaults(reader, condition)
        for (table, isUndecided) in [("finding_statement", false), ("undecided_statement", true)] {
            try readMarks(reader, table, isUndecided, condition)
        }
        if let side { try readSockets(reader, side, condition) }
    }

    private mutating func readFaults(
        _ reader: FleetReader, _ condition: String
    ) throws(FleetError) {
        let rows = try reader.rows(
            """
            SELECT recorder, rule, purpose = 'edit', exchange_id, exchange_counterpart_id, message_id, \
            message_counterpart_id FROM fault_statement WHERE isNull(problem) AND \(condition) \
            ORDER BY recorder, id
            """)
        for row in rows where row.count == 7 {
            let recorder = FleetTableRows.text(row[0])
            let rule = (
                name: FleetTableRows.text(row[1]), isEdit: FleetTableRows.number(row[2]) == 1
            )
            // A fault on a message does not count for the exchange that opened its WebSocket.
            if row[5] != nil {
                for number in row[5...6] where number != nil {
                    faulted[recorder, default: FaultedRows()].add(
                        rule, to: MessageID(FleetTableRows.number(number)))
                }
            } else {
                for number in row[3...4] where number != nil {
                    faulted[recorder, default: FaultedRows()].add(
                        rule, to: ExchangeID(FleetTableRows.number(number)))
                }
            }
        }
    }

    private mutating func readMarks(
        _ reader: FleetReader, _ table: String, _ isUndecided: Bool, _ condition: String
    ) throws(FleetError) {
        let rows = try reader.rows(
            """
            SELECT recorder, session_id, rule, chunk_id, `offset` FROM \(table) WHERE \(condition) \
            ORDER BY recorder, session_id, id
            """)
        var places: [String: [Int64: Int]] = [:]
        for row in rows where row.count == 5 {
            let recorder = FleetTableRows.text(row[0])
            let session = FleetTableRows.number(row[1])
            places[recorder, default: [:]][session, default: 0] += 1
            guard let chunk = row[3] else { continue }
            let start = Start(
                recorder: recorder, chunk: FleetTableRows.number(chunk),
                offset: FleetTableRows.number(row[4]))
            marks[start, default: []].append(
                DiagnosedRows.Mark(
                    session: SessionID(session), place: places[recorder]?[session] ?? 1,
                    rule: FleetTableRows.text(row[2]), isUndecided: isUndecided))
        }
    }

    private mutating func readSockets(
        _ reader: FleetReader, _ side: LineSide, _ condition: String
    ) throws(FleetError) {
        let sides = FleetQuestion(nil, side: side, messages: .all).condition(.message) ?? "1"
        let rows = try reader.rows(
            """
            SELECT recorder, exchange_id, sender, count(), sum(size) FROM any_message \
            WHERE \(condition) AND \(sides) GROUP BY recorder, exchange_id, sender
            """)
        for row in rows where row.count == 5 {
            let recorder = FleetTableRows.text(row[0])
            let exchange = ExchangeID(FleetTableRows.number(row[1]))
            var size = sockets[recorder]?[exchange] ?? SocketSize()
            size.messages += FleetTableRows.number(row[3])
            if FleetTableRows.number(row[2]) == 0 {
                size.clientBytes = FleetTableRows.number(row[4])
            } else {
                size.serverBytes = FleetTableRows.number(row[4])
            }
            sockets[recorder, default: [:]][exchange] = size
        }
    }

    /// Adds to a line what is known of it.
    ///
    /// - Parameters:
    ///   - line: The line.
    ///   - place: Where its exchange begins, or the message of a command that is its first.
    func complete(_ line: inout FleetLine, at place: (chunk: Int64, offset: Int64)?) {
        let recorder = line.session.recorder
        let faults = faulted[recorder]
        switch line.line {
        case .exchange(_, let row):
            line.rules = faults?.rules(of: row.id) ?? []
            if row.status == 101 { line.socket = sockets[recorder]?[row.id] }
        case .command(_, let row): line.rules = faults?.rules(of: row.message) ?? []
        case .message(_, let row): line.rules = faults?.rules(of: row.id) ?? []
        }
        guard let place else { return }
        line.marks =
            marks[Start(recorder: recorder, chunk: place.chunk, offset: place.offset)] ?? []
    }
}
