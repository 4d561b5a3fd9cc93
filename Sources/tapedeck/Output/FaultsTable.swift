import Notation
import Wire

/// Members of a JSON value; the other object of that name writes lines.
typealias JSONMembers = JSONObject

extension JSONMembers {
    /// The object with one text.
    init(_ name: String, _ text: String) { self.init([Member(name, .string(text))]) }
}

/// The answers of a control interface, as text.
enum FaultsTable {
    /// The elements of an array; none where it is none.
    static func list(_ value: JSONValue?) -> [JSONValue] {
        if case .array(let elements) = value { elements } else { [] }
    }

    /// A text or number as it is, without control characters.
    static func text(_ value: JSONValue?) -> String {
        switch value {
        case .string(let text): ListLine.clean(text)
        case .number(let text): text
        default: "-"
        }
    }

    /// Rules, with counts and state.
    static func rules(_ answer: JSONValue) -> String {
        let rows = list(answer["rules"]).map(row)
        guard !rows.isEmpty else { return "no rules\n" }
        return table([["NAME", "STATE", "MATCHED", "FIRED", "FAILED", "RULE"]] + rows)
    }

    /// One rule.
    static func rule(_ rule: JSONValue) -> String {
        rules(.object(JSONMembers([.init("rules", .array([rule]))])))
    }

    private static func row(_ rule: JSONValue) -> [String] {
        [
            text(rule["name"]), text(rule["state"]), text(rule["matched"]), text(rule["fired"]),
            text(rule["failed"]), text(rule["rule"]),
        ]
    }

    /// Marks, with the seconds since the session started.
    static func marks(_ marks: [JSONValue]) -> String {
        guard !marks.isEmpty else { return "no marks\n" }
        return table(marks.map { [seconds($0["at_ns"]), text($0["name"])] })
    }

    /// Connections.
    static func connections(_ answer: JSONValue) -> String {
        let rows = list(answer["connections"]).map { connection in
            [
                text(connection["id"]), text(connection["client"]), text(connection["server"]),
                seconds(connection["opened_ns"]),
                connection["is_websocket"] == .bool(true) ? "websocket" : "",
            ]
        }
        guard !rows.isEmpty else { return "no connections\n" }
        return table([["ID", "CLIENT", "SERVER", "OPENED", ""]] + rows)
    }

    private static func seconds(_ value: JSONValue?) -> String {
        TimeSpan.clock(Int64(text(value)) ?? 0)
    }

    /// Columns of even width, the last one as it is.
    static func table(_ rows: [[String]]) -> String {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            let cells = row.enumerated().map { column, cell in
                column == row.count - 1
                    ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
            }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }.joined()
    }
}
