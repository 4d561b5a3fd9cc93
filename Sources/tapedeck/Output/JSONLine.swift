import Dissection
import Interchange
import Wire

/// One JSON object per line, with the names of the trace's columns.
enum JSONLine {
    /// An exchange.
    static func exchange(
        _ row: ExchangeRow, _ session: SessionID, faults: [String] = []
    ) -> String {
        ExportedRow.exchange(row, session, faults: faults).json
    }

    /// A command.
    static func command(
        _ row: CommandRow, _ session: SessionID, _ text: [UInt8], faults: [String] = []
    ) -> String {
        ExportedRow.command(row, session, text, faults: faults).json
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
