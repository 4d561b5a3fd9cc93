internal import Dissection
internal import Storage
public import Wire

extension TraceReader {
    /// The faults in order of time.
    ///
    /// - Parameters:
    ///   - session: Those of one session; nil for all.
    ///   - purpose: Those for this; nil for all that was done.
    /// - Returns: The faults with their targets and verdicts.
    /// - Throws: ``TraceError`` with code `storage`.
    public func faults(
        session: SessionID? = nil, for purpose: FaultRow.Purpose? = .fault
    ) throws(TraceError) -> [FaultDetail] {
        try reported { () throws(StorageFault) in
            try list(
                Self.faultRows
                    + " WHERE (?1 IS NULL OR f.session_id = ?1) AND (?2 IS NULL OR f.purpose = ?2)"
                    + " ORDER BY f.session_id, f.at_ns, f.id",
                bind: {
                    $0.bind(1, session?.rawValue)
                    $0.bind(2, purpose?.rawValue)
                }
            ) { $0.faultDetail() }
        }
    }

    /// Adds to `rows` what was touched by the faults that it does not know yet.
    public func extend(_ rows: inout FaultedRows) throws(TraceError) {
        var known = rows
        try reported { () throws(StorageFault) in
            // The query behind is long; most polls of a listing meet no new fault.
            guard try db.integer("SELECT max(id) FROM fault_statement") > known.last else { return }
            let statement = try db.prepare(
                """
                SELECT f.id, f.exchange_id, f.message_id, f.rule, x.counterpart_id,
                  m.counterpart_id, f.purpose = 'edit'
                FROM intervention f LEFT JOIN any_exchange x ON x.id = f.exchange_id
                LEFT JOIN any_message m ON m.id = f.message_id
                WHERE f.id > ? AND f.problem IS NULL ORDER BY f.id
                """)
            statement.bind(1, known.last)
            while try statement.step() {
                known.last = statement.integer(0)
                let rule = (name: statement.string(3), isEdit: statement.integer(6) == 1)
                // A fault names the row of the peer whose bytes it was done to.
                if let message = statement.optionalInteger(2) {
                    known.add(rule, to: MessageID(message))
                    if let other = statement.optionalInteger(5) {
                        known.add(rule, to: MessageID(other))
                    }
                } else if let exchange = statement.optionalInteger(1) {
                    known.add(rule, to: ExchangeID(exchange))
                    if let other = statement.optionalInteger(4) {
                        known.add(rule, to: ExchangeID(other))
                    }
                }
            }
        }
        rows = known
    }

    /// The warnings of a session, in order.
    public func warnings(of session: SessionID) throws(TraceError) -> [EventRow] {
        try reported { () throws(StorageFault) in
            try list(
                "SELECT * FROM event WHERE session_id = ? AND kind = 'warning' ORDER BY id",
                [session.rawValue]
            ) { Tables.event.row($0) }
        }
    }

    /// What was done on one connection for which `condition` holds, with its arguments.
    func faults(
        on connection: ConnectionID, where condition: String = "1", _ arguments: [Int64] = []
    ) throws(StorageFault) -> [FaultDetail] {
        try list(
            Self.faultRows + " WHERE f.connection_id = ? AND \(condition) ORDER BY f.id",
            [connection.rawValue] + arguments
        ) { $0.faultDetail() }
    }

    private static let senderSide = "CASE f.sender WHEN 1 THEN 'server' ELSE 'client' END"
    private static let receiverSide = "CASE f.sender WHEN 1 THEN 'client' ELSE 'server' END"

    private static let faultRows = """
        SELECT f.id, f.session_id, f.exchange_id, f.message_id, f.command_id,
          \(Tables.shownFault.sql("f.")), v.*,
          CASE WHEN v.position IS NULL THEN
            (SELECT x.id FROM any_exchange x
             WHERE x.request_chunk_id = v.chunk_id AND x.request_offset = v."offset"
             ORDER BY x.side = 'server' LIMIT 1) END,
          (SELECT c.id FROM any_message m JOIN any_command c ON c.message_id = m.id
           WHERE m.chunk_id = v.chunk_id AND m."offset" = v."offset" AND c.position = v.position
           ORDER BY m.side = 'server', c.id LIMIT 1),
          (SELECT CASE x.side WHEN 'server' THEN x.counterpart_id ELSE x.id END
           FROM any_exchange x WHERE x.id = f.exchange_id),
          (SELECT CASE m.side WHEN 'server' THEN m.counterpart_id ELSE m.id END
           FROM any_message m WHERE m.id = f.message_id),
          (SELECT coalesce(c.text, m.payload) FROM any_message m
           LEFT JOIN any_command c ON c.id = f.command_id
           WHERE m.id = f.message_id AND m.side IN ('both', \(senderSide))),
          coalesce((SELECT coalesce(c.text, m.payload) FROM any_message o
           LEFT JOIN any_command p ON p.id = f.command_id
           LEFT JOIN any_command c ON c.id = CASE
             WHEN p.side IN ('both', \(receiverSide)) THEN p.id ELSE p.counterpart_id END
           JOIN any_message m ON m.id = CASE WHEN p.id IS NOT NULL THEN c.message_id
             WHEN o.side IN ('both', \(receiverSide)) THEN o.id ELSE o.counterpart_id END
           WHERE o.id = f.message_id),
           CASE WHEN f.effect LIKE '%answered%' THEN
             (SELECT a.payload FROM any_message a
              WHERE a.connection_id = f.connection_id AND a.id > f.message_id
                AND a.sender <> f.sender AND a.side = 'client'
                AND a.fate IN ('synthesized', 'altered') ORDER BY a.id LIMIT 1) END),
          (SELECT m.opcode >= 8 FROM any_message m WHERE m.id = f.message_id)
        FROM intervention f LEFT JOIN fault_verdict v ON v.fault_id = f.id
        """
}

/// The names of the rules that touched a row.
public struct TouchingRules: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// Those that broke something.
    public var faults: [String]
    /// Those that had it otherwise.
    public var edits: [String]

    /// The rules of these names.
    public init(faults: [String] = [], edits: [String] = []) {
        self.faults = faults
        self.edits = edits
    }

    /// Rules that broke something.
    public init(arrayLiteral elements: String...) { self.init(faults: elements) }

    /// Whether there are none.
    public var isEmpty: Bool { faults.isEmpty && edits.isEmpty }

    fileprivate mutating func add(_ rule: (name: String, isEdit: Bool)) {
        if rule.isEdit {
            if edits.last != rule.name { edits.append(rule.name) }
        } else if faults.last != rule.name {
            faults.append(rule.name)
        }
    }
}

/// Which exchanges and messages of a trace were touched by rules.
public struct FaultedRows: Sendable {
    /// Number of the last intervention that is known.
    var last: Int64 = 0
    private var exchanges: [ExchangeID: TouchingRules] = [:]
    private var messages: [MessageID: TouchingRules] = [:]

    /// Nothing yet.
    public init() {}

    package mutating func add(_ rule: (name: String, isEdit: Bool), to exchange: ExchangeID) {
        exchanges[exchange, default: []].add(rule)
    }

    package mutating func add(_ rule: (name: String, isEdit: Bool), to message: MessageID) {
        messages[message, default: []].add(rule)
    }

    /// The rules that touched the exchange.
    public func rules(of exchange: ExchangeID) -> TouchingRules { exchanges[exchange] ?? [] }

    /// The rules that touched the message.
    public func rules(of message: MessageID) -> TouchingRules { messages[message] ?? [] }
}

extension Statement {
    fileprivate func faultDetail() -> FaultDetail {
        let own = 5 + Tables.shownFault.count
        var detail = FaultDetail(
            id: integer(0), session: SessionID(integer(1)),
            row: Tables.shownFault.row(self, from: 5),
            exchange: optionalInteger(2).map { ExchangeID($0) },
            message: optionalInteger(3).map { MessageID($0) },
            command: optionalInteger(4).map { CommandID($0) })
        // A fault on a message does not count for the exchange that opened its WebSocket.
        if detail.message != nil { detail.exchange = nil }
        let shown = own + Tables.verdict.width
        detail.clientExchange = optionalInteger(shown + 2).map { ExchangeID($0) }
        detail.clientMessage = optionalInteger(shown + 3).map { MessageID($0) }
        if detail.message != nil { detail.clientExchange = nil }
        detail.isControl = integer(shown + 6) == 1
        detail.came = isNull(shown + 4) ? nil : bytes(shown + 4)
        detail.sent = isNull(shown + 5) ? nil : bytes(shown + 5)
        guard !isNull(own) else { return detail }
        var verdict = Tables.verdict.row(self, from: own)
        verdict.exchange = optionalInteger(shown).map { ExchangeID($0) }
        verdict.command = optionalInteger(shown + 1).map { CommandID($0) }
        detail.verdict = verdict
        return detail
    }
}
