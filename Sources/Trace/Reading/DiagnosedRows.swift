internal import Storage
public import Wire

/// Which exchanges and commands of a trace show findings, or what could not be decided, as far as
/// they are stored.
public struct DiagnosedRows: Sendable {
    /// A finding, or a duty that could not be decided.
    public struct Mark: Hashable, Sendable {
        /// The session.
        public var session: SessionID
        /// Its place among those of its kind in the session, from 1 on.
        public var place: Int
        /// The rule.
        public var rule: String
        /// Whether it could not be decided.
        public var isUndecided: Bool

        /// A mark of these values.
        package init(session: SessionID, place: Int, rule: String, isUndecided: Bool) {
            self.session = session
            self.place = place
            self.rule = rule
            self.isUndecided = isUndecided
        }
    }

    private var exchanges: [ExchangeID: [Mark]] = [:]
    private var commands: [CommandID: [Mark]] = [:]

    /// Nothing yet.
    public init() {}

    /// What the exchange shows; empty where it is nothing.
    public func marks(of exchange: ExchangeID) -> [Mark] { exchanges[exchange] ?? [] }

    /// What the command shows; empty where it is nothing.
    public func marks(of command: CommandID) -> [Mark] { commands[command] ?? [] }

    fileprivate mutating func add(_ mark: Mark, _ exchange: Int64?, _ command: Int64?) {
        if let command {
            commands[CommandID(command), default: []].append(mark)
        } else if let exchange {
            exchanges[ExchangeID(exchange), default: []].append(mark)
        }
    }
}

extension TraceReader {
    /// What the rows of the trace show, as it was diagnosed last.
    ///
    /// - Returns: The marks of all sessions.
    /// - Throws: ``TraceError`` with code `storage`.
    public func diagnosedRows() throws(TraceError) -> DiagnosedRows {
        try reported { () throws(StorageFault) in
            var rows = DiagnosedRows()
            for (view, isUndecided) in [("finding", false), ("undecided", true)] {
                let statement = try db.prepare(
                    """
                    SELECT s.session_id, v.rule, v.exchange_id, v.command_id
                    FROM \(view) v JOIN \(view)_statement s ON s.id = v.id ORDER BY v.id
                    """)
                var places: [Int64: Int] = [:]
                while try statement.step() {
                    let session = statement.integer(0)
                    places[session, default: 0] += 1
                    rows.add(
                        DiagnosedRows.Mark(
                            session: SessionID(session), place: places[session] ?? 1,
                            rule: statement.string(1), isUndecided: isUndecided),
                        statement.optionalInteger(2), statement.optionalInteger(3))
                }
            }
            return rows
        }
    }
}
