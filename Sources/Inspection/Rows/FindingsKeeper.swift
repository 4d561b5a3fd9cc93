internal import Notation
internal import Serving
internal import Synchronization
internal import Trace
internal import Wire

/// Keeps what was found in a trace, as `diagnose` finds it.
actor FindingsKeeper {
    private let path: String
    private let tools: any InspectionTools
    private let desk: TraceDesk
    private var asked: (numbers: [Int64], answer: String)?
    private var finding: Task<String, any Error>?
    private let known = Mutex<[String: [RowObjects.FoundMark]]>([:])

    init(path: String, tools: any InspectionTools, desk: TraceDesk) {
        self.path = path
        self.tools = tools
        self.desk = desk
    }

    /// The findings that rows show, by the names of the rows, as far as they were looked for.
    nonisolated var marks: [String: [RowObjects.FoundMark]] { known.withLock { $0 } }

    /// What there is to be found now, as JSON.
    ///
    /// - Throws: ``ServedProblem`` where the trace cannot be diagnosed.
    func answer() async throws(ServedProblem) -> String {
        let numbers = try await desk.read { reader throws(TraceError) in
            let last = try reader.lastNumbers()
            return [last.exchange, last.command, last.message]
        }
        if let asked, asked.numbers == numbers { return asked.answer }
        let task = finding ?? Task { try await find() }
        finding = task
        let result = await task.result
        finding = nil
        switch result {
        case .success(let answer):
            asked = (numbers, answer)
            return answer
        case .failure(let error):
            throw error as? ServedProblem
                ?? ServedProblem(500, "not-diagnosed", "\(error)", hint: "try again")
        }
    }

    private func find() async throws(ServedProblem) -> String {
        let outcome = await tools.run(["diagnose", path, "--json"])
        // 1 says that there are findings.
        guard outcome.status == 0 || outcome.status == 1 else {
            throw ServedProblem(
                500, "not-diagnosed", outcome.errors,
                hint: "tapedeck diagnose \(path) says what is wrong")
        }
        let clock = try await desk.read { reader throws(TraceError) in
            TraceClock(try reader.sessions())
        }
        var findings: [String] = []
        var undecided: [String] = []
        var marks: [String: [RowObjects.FoundMark]] = [:]
        for line in outcome.output.split(separator: UInt8(ascii: "\n")) {
            guard let value = try? JSONValue(parsing: String(decoding: line, as: UTF8.self)),
                let found = FoundRule(value, clock)
            else { continue }
            if found.isUndecided {
                undecided.append(found.json)
            } else {
                findings.append(found.json)
                for row in Set(found.rows) { marks[row, default: []].append(found.mark) }
            }
        }
        known.withLock { [marks] in $0 = marks }
        var object = JSONObjectText()
        object.add("findings", raw: "[\(findings.joined(separator: ","))]")
        object.add("undecided", raw: "[\(undecided.joined(separator: ","))]")
        return object.text
    }
}

/// A finding, or what could not be decided, as `diagnose --json` prints it, for pages: with the names of the
/// rows that are its evidence, and times since the first session began.
struct FoundRule {
    let isUndecided: Bool
    let rows: [String]
    let mark: RowObjects.FoundMark
    let json: String

    init?(_ value: JSONValue, _ clock: TraceClock) {
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
        made.add("at_ns", object["at"]?.number.map { start &+ $0 })
        for member in ["rule", "client", "topic", "message", "expected", "harm", "source", "cause"]
        {
            made.add(member, object[member]?.text)
        }
        made.add("times", object["times"]?.number)
        made.add("connection_id", object["connection"]?.number)
        made.add("fingerprint", object["fingerprint"]?.text)
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
        json = made.text
        mark = .init(name: name, text: "\(severity) \(rule)")
        self.rows = rows
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
