import Diagnosis
import Dissection
import Formats
import Inspection
import Notation
import Trace
import Wire

/// The rows of a report as JSON, as the inspector has them, with what `show` prints of them.
struct ReportRows {
    /// The objects, in the order in which they were added.
    private(set) var json: [String] = []
    /// Bytes of all of them.
    private(set) var bytes = 0

    private let reader: TraceReader
    private let page: RowPage
    private var objects = RowObjects()
    private var added: Set<String> = []

    /// No rows yet.
    ///
    /// - Parameters:
    ///   - reader: Reads the trace.
    ///   - sessions: Its sessions.
    ///   - findings: What was found in it.
    /// - Throws: ``Failure`` where the trace cannot be read.
    init(
        reader: TraceReader, sessions: [SessionDetail], findings: [Finding]
    ) throws(Failure) {
        self.reader = reader
        page = RowPage(
            reader: reader, times: PageTimes(.relative, sessions), objects: FollowedObjects(reader))
        var objects = RowObjects()
        do throws(TraceError) {
            try objects.learn(from: reader)
        } catch {
            throw Failure(error)
        }
        var marks: [String: [RowObjects.FoundMark]] = [:]
        for finding in findings {
            guard let number = finding.number else { continue }
            let mark = RowObjects.FoundMark(
                name: "\(number)", text: "\(finding.severity.rawValue) \(finding.rule.id)")
            for row in ReportFindings.rows(of: finding) { marks[row, default: []].append(mark) }
        }
        objects.learn(findings: marks)
        self.objects = objects
    }

    /// Adds a row.
    ///
    /// - Parameters:
    ///   - line: The row.
    ///   - hasText: Whether it gets what `show` prints.
    /// - Returns: Whether it has got that.
    /// - Throws: ``Failure`` where the trace cannot be read.
    mutating func add(_ line: TraceLine, withText hasText: Bool) throws(Failure) -> Bool {
        var command: [UInt8] = []
        if case .command(_, let row) = line {
            command = try reader.reading { reader throws(TraceError) in
                try reader.text(of: row.id)
            }
        }
        var object = objects.object(line, text: command)
        let text =
            hasText
            ? try reader.together { () throws(Failure) in try page.text(.line(line.place)) } : nil
        object.add("text", text)
        bytes += object.text.utf8.count
        json.append(object.text)
        added.insert(line.place.name)
        return text != nil
    }

    /// Whether a row of the evidence was added.
    func hasEvidence(_ finding: Finding) -> Bool {
        !added.isDisjoint(with: ReportFindings.rows(of: finding))
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

    /// An array, as the inspector has them.
    static func json(
        _ findings: [(session: SessionID, finding: Finding)], _ clock: TraceClock
    ) -> String {
        let objects = findings.compactMap { session, finding in
            (try? JSONValue(parsing: FindingJSON.line(finding, session: session)))
                .flatMap { FoundRule($0, clock) }?.object.text
        }
        return "[\(objects.joined(separator: ",\n"))]"
    }
}
