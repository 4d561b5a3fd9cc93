import Diagnosis
import Dissection
import Formats
import Notation
import Trace
import Wire

/// The rows of a report as JSON, with what `show` prints of them.
struct ReportRows {
    /// Bytes of a payload in the list.
    private static let excerpt = 200

    /// The objects, in the order in which they were added.
    private(set) var json: [String] = []
    /// Bytes of all of them.
    private(set) var bytes = 0

    private let reader: TraceReader
    private let times: PageTimes
    private let starts: [SessionID: Int64]
    private var names: [String: [String]] = [:]
    private var added: Set<String> = []
    private var severities: [String: String] = [:]
    private var faulted = FaultedRows()

    init(reader: TraceReader, sessions: [SessionDetail], findings: [Finding]) {
        self.reader = reader
        times = PageTimes(.relative, sessions)
        let first = sessions.map(\.startedUnixNanoseconds).min() ?? 0
        starts = Dictionary(
            sessions.map { ($0.id, $0.startedUnixNanoseconds &- first) }, uniquingKeysWith: { $1 })
        for finding in findings {
            guard let number = finding.number else { continue }
            for row in ReportFindings.rows(of: finding) {
                names[row, default: []].append("\(number)")
                severities["\(number)"] = "\(finding.severity.rawValue) \(finding.rule.id)"
            }
        }
        try? reader.extend(&faulted)
    }

    /// Adds a row.
    ///
    /// - Parameters:
    ///   - line: The row.
    ///   - hasText: Whether it gets what `show` prints.
    /// - Returns: Whether it has got that.
    /// - Throws: ``Failure`` where the trace cannot be read.
    mutating func add(_ line: TraceLine, withText hasText: Bool) throws(Failure) -> Bool {
        var object = JSONObjectText()
        var marks: [String] = []
        let name: String
        switch line {
        case .exchange(let session, let row):
            name = "\(row.id)"
            head(&object, name, "exchange", session, row.connection, row.startedAt, row.endedAt)
            object.add("method", row.method)
            object.add("url", row.url)
            object.add("api", row.api)
            object.add("status", row.status.map(Int64.init))
            marks += Self.marks(faulted.rules(of: row.id))
        case .message(let session, let row):
            name = "m\(row.id)"
            head(&object, name, "message", session, row.connection, row.at, row.endedAt)
            object.add("sender", row.sender.description)
            object.add("payload", ListLine.excerpt(row.payload[...], Self.excerpt))
            marks += Self.marks(faulted.rules(of: row.id))
        case .command(let session, let row):
            name = "c\(row.id)"
            head(&object, name, "command", session, row.connection, row.at, nil)
            object.add("sender", row.sender.description)
            object.add("command", row.name)
            object.add("bucket", row.bucket)
            object.add("key", row.key)
            marks += Self.marks(faulted.rules(of: row.message))
        }
        let findings = names[name] ?? []
        marks += findings.compactMap { severities[$0] }
        object.add("marks", raw: Self.list(marks))
        object.add("findings", raw: Self.list(findings))
        let text = hasText ? try self.text(line) : nil
        object.add("text", text)
        bytes += object.text.utf8.count
        json.append(object.text)
        added.insert(name)
        return text != nil
    }

    /// Whether a row of the evidence was added.
    func hasEvidence(_ finding: Finding) -> Bool {
        !added.isDisjoint(with: ReportFindings.rows(of: finding))
    }

    private static func marks(_ rules: TouchingRules) -> [String] {
        rules.faults.map { "fault \($0)" } + rules.edits.map { "edit \($0)" }
    }

    private func head(
        _ object: inout JSONObjectText, _ name: String, _ kind: String, _ session: SessionID,
        _ connection: ConnectionID, _ at: Instant, _ end: Instant?
    ) {
        let start = starts[session] ?? 0
        object.add("name", name)
        object.add("kind", kind)
        object.add("session_id", session.rawValue)
        object.add("connection_id", connection.rawValue)
        object.add("at_ns", start &+ at.nanoseconds)
        object.add("ended_ns", end.map { start &+ $0.nanoseconds })
    }

    /// What `show` prints.
    private func text(_ line: TraceLine) throws(Failure) -> String? {
        switch line {
        case .exchange(_, let row):
            let detail = try reader.reading { r throws(TraceError) in try r.exchange(row.id) }
            guard let detail else { return nil }
            return try ExchangePage(reader: reader, times: times).text(detail)
        case .message(_, let row):
            let detail = try reader.reading { r throws(TraceError) in try r.message(row.id) }
            return detail.map { MessagePage.text($0, times) }
        case .command(_, let row):
            let detail = try reader.reading { r throws(TraceError) in try r.command(row.id) }
            guard let detail else { return nil }
            return try CommandPage(reader: reader, times: times).text(detail)
        }
    }

    static func list(_ texts: [String]) -> String {
        "[\(texts.map(JSONString.quoted).joined(separator: ","))]"
    }
}

/// The findings of a report as JSON.
enum ReportFindings {
    /// The rows of the evidence, as `show` names them.
    static func rows(of finding: Finding) -> [String] {
        finding.steps.compactMap { step in
            step.command.map { "c\($0)" } ?? step.exchange.map { "\($0)" }
                ?? step.message.map { "m\($0)" }
        }
    }

    /// An array, the worst first.
    static func json(_ findings: [Finding]) -> String {
        let order: [FindingRow.Severity] = [.error, .warning, .info]
        let sorted = order.flatMap { severity in findings.filter { $0.severity == severity } }
        return "[\(sorted.map(json).joined(separator: ",\n"))]"
    }

    private static func json(_ finding: Finding) -> String {
        var object = JSONObjectText()
        object.add("name", finding.number.map { "\($0)" })
        object.add("severity", finding.severity.rawValue)
        object.add("rule", finding.rule.id)
        object.add("text", FindingText.paragraph(finding, hasColour: false))
        object.add("rows", raw: ReportRows.list(rows(of: finding)))
        return object.text
    }
}
