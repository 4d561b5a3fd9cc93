internal import Notation
internal import Serving
internal import Synchronization
internal import Trace
internal import Wire

/// Keeps what was found in a trace, as `diagnose` finds it, and which of it is known.
actor FindingsKeeper {
    private struct Found {
        var numbers: [Int64] = []
        var rules: [FoundRule] = []
    }

    private let path: String
    private let baseline: BaselineKeeper
    private let tools: any InspectionTools
    private let desk: TraceDesk
    private var found: Found?
    private var finding: Task<[FoundRule], any Error>?
    private let known = Mutex<[FoundRule]>([])

    init(path: String, baseline: BaselineKeeper, tools: any InspectionTools, desk: TraceDesk) {
        self.path = path
        self.baseline = baseline
        self.tools = tools
        self.desk = desk
    }

    /// The findings that rows show, by the names of the rows, as far as they were looked for.
    nonisolated var marks: [String: [RowObjects.FoundMark]] {
        let known = baseline.now
        var marks: [String: [RowObjects.FoundMark]] = [:]
        for rule in self.known.withLock({ $0 })
        where !rule.isUndecided && !rule.isKnown(by: known) {
            for row in Set(rule.rows) { marks[row, default: []].append(rule.mark) }
        }
        return marks
    }

    /// The findings as marks of a timeline, as far as they were looked for.
    nonisolated var timelineMarks: [TimelineKeeper.Mark] {
        let known = baseline.now
        return self.known.withLock { $0 }.compactMap { rule in
            guard !rule.isUndecided, !rule.isKnown(by: known), let at = rule.at else { return nil }
            return TimelineKeeper.Mark(
                at: at, kind: "finding", text: rule.mark.text, connection: rule.connection,
                row: rule.rows.last)
        }
    }

    /// What there is to be found now, as JSON.
    ///
    /// - Throws: ``ServedProblem`` where the trace cannot be diagnosed.
    func answer() async throws(ServedProblem) -> String {
        let rules = try await rules()
        let known = baseline.now
        func objects(_ isUndecided: Bool) -> String {
            let objects = rules.filter { $0.isUndecided == isUndecided }.map { rule in
                var object = rule.object
                object.add("is_known", isTrue: rule.isKnown(by: known))
                return object.text
            }
            return "[\(objects.joined(separator: ","))]"
        }
        var object = JSONObjectText()
        object.add("findings", raw: objects(false))
        object.add("undecided", raw: objects(true))
        return object.text
    }

    private func rules() async throws(ServedProblem) -> [FoundRule] {
        let numbers = try await desk.read { reader throws(TraceError) in
            let last = try reader.lastNumbers()
            return [last.exchange, last.command, last.message]
        }
        if let found, found.numbers == numbers { return found.rules }
        let task = finding ?? Task { try await find() }
        finding = task
        let result = await task.result
        finding = nil
        switch result {
        case .success(let rules):
            found = Found(numbers: numbers, rules: rules)
            return rules
        case .failure(let error):
            throw error as? ServedProblem
                ?? ServedProblem(500, "not-diagnosed", "\(error)", hint: "try again")
        }
    }

    private func find() async throws(ServedProblem) -> [FoundRule] {
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
        let rules = outcome.output.split(separator: UInt8(ascii: "\n")).compactMap { line in
            (try? JSONValue(parsing: String(decoding: line, as: UTF8.self))).flatMap {
                FoundRule($0, clock)
            }
        }
        known.withLock { $0 = rules }
        return rules
    }
}
