internal import Dissection
internal import Trace
internal import Wire

/// A filter for what is alike in another session.
enum LineFilter {
    /// The filter that a row passes, and whatever is alike, as `tapedeck ls` takes it.
    ///
    /// - Parameters:
    ///   - line: The row.
    ///   - answered: Whether the status of an exchange, or the error of a command, has to be the same.
    /// - Returns: The filter.
    static func text(of line: TraceLine, answered: Bool) -> String {
        var terms: [String]
        switch line {
        case .exchange(_, let row):
            terms =
                row.api.isEmpty || row.api == "http"
                ? [term("method", row.method), term("path", row.path)] : [term("api", row.api)]
            if answered, let status = row.status { terms.append("status:\(status)") }
        case .command(_, let row):
            terms = [
                term("command", row.name), "sender:\(row.sender == .client ? "client" : "server")",
            ]
            if let bucket = row.bucket { terms.append(term("bucket", bucket)) }
            if let key = row.key, row.name != "init" { terms.append(term("key", key)) }
            if answered, let error = row.error { terms.append("error:\(error)") }
        case .message(_, let row):
            terms = [
                "kind:message", "sender:\(row.sender == .client ? "client" : "server")",
                "opcode:\(row.opcode)",
            ]
        }
        return terms.joined(separator: " ")
    }

    private static func term(_ field: String, _ value: String) -> String {
        let isPlain = value.utf8.allSatisfy {
            0x30...0x39 ~= $0 || 0x41...0x5A ~= $0 || 0x61...0x7A ~= $0 || $0 == 0x2D || $0 == 0x5F
                || $0 == 0x2E
        }
        return "\(field):" + (isPlain && !value.isEmpty ? value : quoted(value))
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
