import Notation

/// Held messages, as text.
enum HeldText {
    /// All of them.
    static func list(_ answer: JSONValue) -> String {
        let rows = FaultsTable.list(answer["held"]).map { held in
            [
                FaultsTable.text(held["id"]), FaultsTable.text(held["kind"]),
                FaultsTable.text(held["connection"]), FaultsTable.text(held["rule"]),
                span(held["held_ms"]), span(held["left_ms"]), FaultsTable.text(held["summary"]),
            ]
        }
        guard !rows.isEmpty else { return "nothing is held\n" }
        return FaultsTable.table(
            [["ID", "KIND", "CONN", "RULE", "HELD", "LEFT", "WHAT"]] + rows)
    }

    /// One of them, in a line.
    static func line(_ held: JSONValue) -> String {
        let size = FaultsTable.text(held["size"])
        return "\(FaultsTable.text(held["id"])): \(FaultsTable.text(held["kind"])) "
            + "\(FaultsTable.text(held["summary"])), \(size) bytes, connection "
            + "\(FaultsTable.text(held["connection"])); goes on by itself in \(span(held["left_ms"]))"
    }

    /// Milliseconds as `4 m 58 s`.
    private static func span(_ value: JSONValue?) -> String {
        guard case .number(let text) = value, let milliseconds = Int64(text) else { return "-" }
        let seconds = milliseconds / 1000
        return seconds < 60 ? "\(seconds) s" : "\(seconds / 60) m \(seconds % 60) s"
    }
}
