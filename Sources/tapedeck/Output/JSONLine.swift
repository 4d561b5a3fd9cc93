import Dissection
import Wire

/// One JSON object per line, with the names of the trace's columns.
enum JSONLine {
    /// An exchange.
    static func exchange(
        _ row: ExchangeRow, _ session: SessionID, faults: [String] = []
    ) -> String {
        var object = JSONObject()
        object.add("kind", "exchange")
        object.add("id", row.id.rawValue)
        object.add("session_id", session.rawValue)
        object.add("connection_id", row.connection.rawValue)
        object.add("api", row.api)
        object.add("method", row.method)
        object.add("url", ListLine.url(row))
        object.add("host", row.host)
        object.add("path", row.path)
        object.add("query", row.query)
        object.add("status", row.status.map(Int64.init))
        object.add("started_ns", row.startedAt.nanoseconds)
        object.add("ended_ns", row.endedAt?.nanoseconds)
        object.add("request_size", row.requestSize)
        object.add("response_size", row.responseSize)
        object.add("outcome", row.outcome.rawValue)
        object.add("problem", row.problem)
        object.add("retry_after", row.retryAfter)
        object.add("device", row.device)
        object.add("is_local", row.isLocal ? 1 : 0)
        add(faults, to: &object)
        return object.text
    }

    /// A command.
    static func command(
        _ row: CommandRow, _ session: SessionID, _ text: [UInt8], faults: [String] = []
    ) -> String {
        var object = JSONObject()
        object.add("kind", "command")
        object.add("id", row.id.rawValue)
        object.add("session_id", session.rawValue)
        object.add("connection_id", row.connection.rawValue)
        object.add("message_id", row.message.rawValue)
        object.add("sender", row.sender.description)
        object.add("at_ns", row.at.nanoseconds)
        object.add("channel", row.channel.map(Int64.init))
        object.add("name", row.name)
        object.add("bucket", row.bucket)
        object.add("app", row.app)
        object.add("key", row.key)
        object.add("cv", row.cv)
        object.add("error", row.error.map(Int64.init))
        let end = min(text.count, row.payloadOffset + row.payloadSize)
        object.add(
            "payload",
            row.payloadOffset <= end
                ? String(decoding: text[row.payloadOffset..<end], as: UTF8.self) : nil)
        object.add("problem", row.problem)
        add(faults, to: &object)
        return object.text
    }

    /// Names of the rules whose faults touched it, where there are any.
    private static func add(_ faults: [String], to object: inout JSONObject) {
        guard !faults.isEmpty else { return }
        object.add("faults", raw: "[\(faults.map(JSONObject.quoted).joined(separator: ","))]")
    }
}

/// A JSON object on one line, with its members in the order in which they were added.
struct JSONObject {
    private var members = ""

    /// The object.
    var text: String { "{\(members)}" }

    /// Adds a string, or null.
    mutating func add(_ name: String, _ value: String?) {
        add(name, raw: value.map(Self.quoted) ?? "null")
    }

    /// Adds a number, or null.
    mutating func add(_ name: String, _ value: Int64?) {
        add(name, raw: value.map(String.init) ?? "null")
    }

    /// Adds what is JSON already.
    mutating func add(_ name: String, raw: String) {
        if !members.isEmpty { members += "," }
        members += "\(Self.quoted(name)):\(raw)"
    }

    /// A JSON string.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
