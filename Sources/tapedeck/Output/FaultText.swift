import Faults
import Notation
import Trace
import Wire

/// Faults as text and as JSON.
enum FaultText {
    /// The lines about the faults of a row, with what was received and what was sent instead.
    static func lines(_ faults: [FaultDetail]) -> [String] {
        faults.flatMap { detail in
            let row = detail.row
            var line =
                "  \(row.purpose.rawValue) \(ListLine.clean(row.rule)): \(ListLine.clean(row.action))"
            line += ", occurrence \(row.occurrence)"
            if !row.scope.isEmpty { line += " of \(ListLine.clean(row.scope))" }
            if let problem = row.problem { line += "; not done: \(ListLine.clean(problem))" }
            if let note = row.detail { line += "; \(ListLine.clean(note))" }
            if let verdict = detail.verdict { line += "; \(words(verdict))" }
            var lines = [line]
            if let came = detail.came { lines.append("    received: \(excerpt(came))") }
            if row.isDone, detail.message != nil {
                lines.append("    sent: \(detail.sent.map(excerpt) ?? "nothing")")
            }
            return lines
        }
    }

    /// `recovered: exchange 14 answered 200, after 31.000 s`.
    static func words(_ verdict: FaultVerdictRow) -> String {
        var text = title(verdict)
        if !verdict.how.isEmpty { text += ": \(ListLine.clean(verdict.how))" }
        if let after = verdict.afterNanoseconds { text += ", after \(TimeSpan.text(after))" }
        return text
    }

    /// The verdict in words.
    static func title(_ verdict: FaultVerdictRow) -> String {
        verdict.verdict == FaultVerdict.Outcome.notRecovered.rawValue
            ? "not recovered" : verdict.verdict
    }

    /// The target of a fault: `#12`, `c5`, `m9` or `k3`.
    static func hit(_ detail: FaultDetail) -> String {
        if let command = detail.command { return "c\(command)" }
        if let message = detail.message { return "m\(message)" }
        if let exchange = detail.exchange { return "#\(exchange)" }
        return detail.row.connection.map { "k\($0)" } ?? "-"
    }

    private static func excerpt(_ bytes: [UInt8]) -> String { ListLine.excerpt(bytes[...], 200) }
}

extension JSONLine {
    /// A fault, with its verdict where there is one.
    static func fault(_ detail: FaultDetail) -> String {
        let row = detail.row
        var object = JSONObjectText()
        object.add("id", detail.id)
        object.add("session_id", detail.session.rawValue)
        object.add("at_ns", row.at.nanoseconds)
        object.add("rule", row.rule)
        object.add("action", row.action)
        object.add("effect", row.effect?.description)
        object.add("problem", row.problem)
        object.add("detail", row.detail)
        object.add("exchange_id", detail.exchange?.rawValue)
        object.add("message_id", detail.message?.rawValue)
        object.add("command_id", detail.command?.rawValue)
        object.add("connection_id", row.connection?.rawValue)
        object.add("sender", row.sender?.description)
        object.add("scope", row.scope)
        object.add("occurrence", row.occurrence)
        object.add("draw", String(row.draw))
        if let came = detail.came { content(came, "came", &object) }
        if let sent = detail.sent { content(sent, "sent", &object) }
        object.add("verdict", detail.verdict?.verdict)
        object.add("how", detail.verdict?.how)
        object.add("shown_by_exchange_id", detail.verdict?.exchange?.rawValue)
        object.add("shown_by_command_id", detail.verdict?.command?.rawValue)
        object.add("after_ns", detail.verdict?.afterNanoseconds)
        object.add("tries", detail.verdict.map { Int64($0.tries) })
        return object.text
    }

    private static func content(_ bytes: [UInt8], _ name: String, _ object: inout JSONObjectText) {
        if let text = String(validating: bytes, as: UTF8.self) {
            object.add(name, text)
        } else {
            object.add("\(name)_hex", Hexadecimal.text(bytes))
        }
    }
}

/// What became of a row on its way, as text.
enum FateText {
    /// A line about a row of one side; none for what both sides had.
    ///
    /// - Parameters:
    ///   - side: Whose conversation the row belongs to.
    ///   - fate: What became of it.
    ///   - counterpart: The row of the other side, as it is named on the command line.
    /// - Returns: At most one line.
    static func lines(_ side: Wire.Side, _ fate: Fate, _ counterpart: String?) -> [String] {
        guard side != .both else { return [] }
        let what =
            switch fate {
            case .same: "the same on both sides, in messages that differ"
            case .altered: "altered on its way"
            case .lost: "lost on its way, or its answer"
            case .late: "late on its way"
            case .repeated: "repeated: the same was received before"
            case .synthesized: "synthesized by tapedeck, or its answer"
            }
        let other = side == .client ? "server" : "client"
        let place =
            switch (fate, counterpart) {
            case (.repeated, let original?): "; first as \(original)"
            case (_, let counterpart?): "; the \(other) had \(counterpart)"
            case (_, nil): "; on the \(side.rawValue)'s side alone"
            }
        return ["  \(what)\(place)"]
    }

    /// A word for a listing; empty for what went on as it was sent.
    static func word(_ side: Wire.Side, _ fate: Fate) -> String {
        let mark = side == .server ? "  server's side" : ""
        return fate == .same ? mark : "\(mark)  \(fate.rawValue)"
    }
}
