public import Dissection
public import Trace
public import Wire

extension ExportedRow {
    private static let exchangeStart = Tables.exchange.select(
        "id session_id connection_id api method")
    private static let exchangeRest = Tables.exchange.select(
        "host path query status started_ns ended_ns request_size response_size outcome problem "
            + "retry_after device is_local side fate counterpart_id")
    private static let commandColumns = Tables.command.select(
        "id session_id connection_id message_id sender at_ns channel name bucket app key request cv "
            + "error")
    private static let commandProblem = Tables.command.select(
        "problem side fate counterpart_id")
    private static let messageColumns = Tables.message.select(
        "id session_id connection_id exchange_id sender at_ns ended_ns opcode size wire_size "
            + "compressed frames close_code problem side fate counterpart_id")
    private static let messagePayload = Tables.message.select("payload")
    private static let changeCommand = Tables.change.select("command_id")
    private static let changePosition = Tables.change.select("position")
    private static let changeColumns = Tables.change.select("bucket key o sv ev cv ccid")
    private static let changeError = Tables.change.select("error side fate")
    private static let commandPlace = Tables.command.select("session_id connection_id")
    private static let commandTime = Tables.command.select("sender at_ns")

    /// An exchange, without its bodies.
    ///
    /// Its `time` follows from `start`, when its session began, in nanoseconds since 1970.
    public static func exchange(
        _ row: ExchangeRow, _ session: SessionID, since start: Int64?, rules: TouchingRules = []
    ) -> ExportedRow {
        var made = ExportedRow(kind: "exchange", at: row.startedAt, since: start)
        made.add(exchangeStart, of: row, session)
        made.add("url", row.url)
        made.add(exchangeRest, of: row, session)
        made.add(rules: rules)
        return made
    }

    /// A command; `text` is all of it, its name included.
    public static func command(
        _ row: CommandRow, _ session: SessionID, _ text: [UInt8], since start: Int64?,
        rules: TouchingRules = []
    ) -> ExportedRow {
        var made = ExportedRow(kind: "command", at: row.at, since: start)
        made.add(commandColumns, of: row, session)
        let start = max(0, row.payloadOffset)
        let end = min(text.count, start + max(0, row.payloadSize))
        made.add(
            "payload", start <= end ? String(decoding: text[start..<end], as: UTF8.self) : nil)
        made.add(commandProblem, of: row, session)
        made.add(rules: rules)
        return made
    }

    /// A WebSocket message; its payload where `hasBody`.
    public static func message(
        _ row: MessageRow, _ session: SessionID, since start: Int64?, hasBody: Bool = false,
        rules: TouchingRules = []
    ) -> ExportedRow {
        var made = ExportedRow(kind: "message", at: row.at, since: start)
        made.add(messageColumns, of: row, session)
        if hasBody { made.add(messagePayload, of: row, session) }
        made.add(rules: rules)
        return made
    }

    /// A change of a `c` command.
    public static func change(
        _ row: ChangeRow, of command: CommandRow, _ session: SessionID, since start: Int64?
    ) -> ExportedRow {
        var made = ExportedRow(kind: "change", at: command.at, since: start)
        made.add(changeCommand, of: row, session)
        made.add(commandPlace, of: command, session)
        made.add(changePosition, of: row, session)
        made.add(commandTime, of: command, session)
        made.add(changeColumns, of: row, session)
        made.add("client_id", row.clientID)
        made.add(changeError, of: row, session)
        return made
    }

    mutating func add<Row>(
        _ columns: ColumnSelection<Row>, of row: Row, _ session: SessionID
    ) {
        columns.forEach(row, RowContext(session: session.rawValue)) { name, value in
            let cell: Cell =
                switch value {
                case .null: .null
                case .number(let number): .integer(number)
                case .text(let text): .text(text)
                case .bytes(let bytes): .bytes(bytes)
                }
            add(name, cell)
        }
    }

    /// Adds the bodies of an exchange: decoded, the first bytes of a large body.
    mutating func addBodies(of detail: ExchangeDetail?) {
        for (name, body) in [
            ("request_body", detail?.request), ("response_body", detail?.response),
        ] {
            add(name, body.map { Self.content($0.content, isText: $0.isText) } ?? .null)
        }
    }

    private static func content(_ bytes: [UInt8], isText: Bool) -> Cell {
        isText ? .text(String(decoding: bytes, as: UTF8.self)) : .bytes(bytes)
    }
}

extension ExchangeRow {
    /// The absolute URL; `HOST:PORT` for a `CONNECT`.
    public var url: String {
        let name = host.contains(":") ? "[\(host)]" : host
        if method == "CONNECT" { return "\(name):\(port)" }
        let isUsual = port == (scheme == "https" ? 443 : 80)
        return "\(scheme)://\(name)\(isUsual ? "" : ":\(port)")\(path)"
            + (query.map { "?\($0)" } ?? "")
    }
}
