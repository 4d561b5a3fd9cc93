public import Dissection
internal import Trace
public import Wire

extension ExportedRow {
    /// An exchange, without its bodies.
    public static func exchange(
        _ row: ExchangeRow, _ session: SessionID, faults: [String] = []
    ) -> ExportedRow {
        var made = ExportedRow(kind: "exchange")
        made.add("id", row.id.rawValue)
        made.add("session_id", session.rawValue)
        made.add("connection_id", row.connection.rawValue)
        made.add("api", row.api)
        made.add("method", row.method)
        made.add("url", row.url)
        made.add("host", row.host)
        made.add("path", row.path)
        made.add("query", row.query)
        made.add("status", row.status)
        made.add("started_ns", row.startedAt.nanoseconds)
        made.add("ended_ns", row.endedAt?.nanoseconds)
        made.add("request_size", row.requestSize)
        made.add("response_size", row.responseSize)
        made.add("outcome", row.outcome.rawValue)
        made.add("problem", row.problem)
        made.add("retry_after", row.retryAfter)
        made.add("device", row.device)
        made.add("is_local", row.isLocal ? 1 : 0)
        made.add(faults: faults)
        return made
    }

    /// A command; `text` is all of it, its name included.
    public static func command(
        _ row: CommandRow, _ session: SessionID, _ text: [UInt8], faults: [String] = []
    ) -> ExportedRow {
        var made = ExportedRow(kind: "command")
        made.add("id", row.id.rawValue)
        made.add("session_id", session.rawValue)
        made.add("connection_id", row.connection.rawValue)
        made.add("message_id", row.message.rawValue)
        made.add("sender", row.sender.description)
        made.add("at_ns", row.at.nanoseconds)
        made.add("channel", row.channel)
        made.add("name", row.name)
        made.add("bucket", row.bucket)
        made.add("app", row.app)
        made.add("key", row.key)
        made.add("cv", row.cv)
        made.add("error", row.error)
        let start = max(0, row.payloadOffset)
        let end = min(text.count, start + max(0, row.payloadSize))
        made.add(
            "payload", start <= end ? String(decoding: text[start..<end], as: UTF8.self) : nil)
        made.add("problem", row.problem)
        made.add(faults: faults)
        return made
    }

    /// A WebSocket message; its payload where `hasBody`.
    public static func message(
        _ row: MessageRow, _ session: SessionID, hasBody: Bool = false, faults: [String] = []
    ) -> ExportedRow {
        var made = ExportedRow(kind: "message")
        made.add("id", row.id.rawValue)
        made.add("session_id", session.rawValue)
        made.add("connection_id", row.connection.rawValue)
        made.add("exchange_id", row.exchange.rawValue)
        made.add("sender", row.sender.description)
        made.add("at_ns", row.at.nanoseconds)
        made.add("ended_ns", row.endedAt.nanoseconds)
        made.add("opcode", row.opcode)
        made.add("size", row.size)
        made.add("wire_size", row.wireSize)
        made.add("compressed", row.isCompressed ? 1 : 0)
        made.add("frames", row.frames)
        made.add("close_code", row.closeCode)
        made.add("problem", row.problem)
        if hasBody { made.add("payload", Self.content(row.payload, isText: row.isText)) }
        made.add(faults: faults)
        return made
    }

    /// A change of a `c` command.
    public static func change(
        _ row: ChangeRow, of command: CommandRow, _ session: SessionID
    ) -> ExportedRow {
        var made = ExportedRow(kind: "change")
        made.add("command_id", row.command.rawValue)
        made.add("session_id", session.rawValue)
        made.add("connection_id", command.connection.rawValue)
        made.add("position", row.position)
        made.add("sender", command.sender.description)
        made.add("at_ns", command.at.nanoseconds)
        made.add("bucket", row.bucket)
        made.add("key", row.key)
        made.add("o", row.operation)
        made.add("sv", row.sv)
        made.add("ev", row.ev)
        made.add("cv", row.cv)
        made.add("ccid", row.ccid)
        made.add("client_id", row.clientID)
        made.add("error", row.error)
        return made
    }

    /// Adds what was said in an exchange: decoded, the first bytes of a large body.
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
