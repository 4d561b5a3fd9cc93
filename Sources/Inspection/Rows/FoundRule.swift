internal import Diagnosis
package import Notation
internal import Wire

/// A finding, or what could not be decided, as `diagnose --json` prints it, for pages: with the names of the
/// rows that are its evidence, and times since the first session began.
package struct FoundRule: Sendable {
    let isUndecided: Bool
    let rule: String
    /// What a baseline names it by; nil for what could not be decided.
    let fingerprint: String?
    let at: Int64?
    let connection: Int64?
    /// The rows of its evidence, by their names.
    package let rows: [String]
    let mark: RowObjects.FoundMark
    /// The object of `openapi.json`, but for what is known of it.
    package let object: JSONObjectText

    /// The finding of a line of `diagnose --json`; nil for what is none.
    ///
    /// - Parameters:
    ///   - value: The line.
    ///   - clock: When sessions began.
    package init?(_ value: JSONValue, _ clock: TraceClock) {
        guard case .object(let object) = value, let rule = object["rule"]?.text else { return nil }
        isUndecided = object["kind"]?.text == "undecided"
        let session = SessionID(object["session"]?.number ?? 1)
        let start = clock.start(of: session)
        let severity = object["severity"]?.text ?? "undecided"
        let name = object["number"]?.text ?? ""
        var made = JSONObjectText()
        made.add("name", name)
        made.add("severity", severity)
        made.add("who", object["blames"]?.text)
        at = object["at"]?.number.map { start &+ $0 }
        made.add("at_ns", at)
        for member in ["rule", "client", "topic", "message", "expected", "harm", "source", "cause"]
        {
            made.add(member, object[member]?.text)
        }
        made.add("times", object["times"]?.number)
        connection = object["connection"]?.number
        made.add("connection_id", connection)
        fingerprint = object["fingerprint"]?.text
        made.add("fingerprint", fingerprint)
        var rows: [String] = []
        var steps: [String] = []
        if case .array(let evidence)? = object["evidence"] {
            for case .object(let step) in evidence {
                let row =
                    step["command"]?.number.map { "c\($0)" }
                    ?? step["exchange"]?.number.map { "\($0)" }
                    ?? step["message"]?.number.map { "m\($0)" }
                if let row { rows.append(row) }
                var made = JSONObjectText()
                made.add("row", row)
                made.add("at_ns", step["at"]?.number.map { start &+ $0 })
                made.add("text", step["detail"]?.text)
                made.add("quote", step["quote"]?.text)
                steps.append(made.text)
            }
        }
        made.add("steps", raw: "[\(steps.joined(separator: ","))]")
        self.object = made
        mark = .init(name: name, text: "\(severity) \(rule)")
        self.rule = rule
        self.rows = rows
    }

    /// Whether a baseline has it.
    func isKnown(by baseline: FindingBaseline) -> Bool {
        fingerprint.map { baseline.knows(rule: rule, fingerprint: $0) } ?? false
    }
}

extension JSONValue {
    /// The text of a string; nil for any other value.
    fileprivate var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The whole number; nil for any other value.
    fileprivate var number: Int64? {
        guard case .number(let number) = self else { return nil }
        return Int64(number)
    }
}
