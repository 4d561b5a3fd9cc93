internal import CSQLite
internal import Filters
internal import Platform
internal import Storage
internal import Trace

/// Reads rows of a trace in the form in which they are sent.
final class ShippedRows {
    /// Rows of one table that go together, by day.
    struct Encoded {
        var rows: Int64 = 0
        var sessions: ClosedRange<Int64>?
        let binary = RowBinary()
    }

    private let path: String
    let db: Connection
    private let recorder: [UInt8]
    private let labels: (Int64) throws -> [Label]
    private var encodedLabels: [Int64: (names: [UInt8], values: [UInt8])] = [:]
    private var statements: [String: Statement] = [:]
    /// The fields of the head that is being sent.
    private var fields = HeadLines()

    /// The rows of the trace at `path`.
    ///
    /// - Parameters:
    ///   - path: The trace, which is only read.
    ///   - recorder: Identity of the recorder.
    ///   - labels: Labels of a session.
    /// - Throws: ``FleetError``.
    init(
        path: String, recorder: String, labels: @escaping (Int64) throws -> [Label]
    ) throws(FleetError) {
        self.path = path
        self.recorder = Array(recorder.utf8)
        self.labels = labels
        db = try Self.open(path)
    }

    func mapped<Result>(_ body: () throws -> Result) throws(FleetError) -> Result {
        do {
            return try body()
        } catch {
            throw Self.error(error, path)
        }
    }

    /// Closes the trace.
    func close() {
        statements = [:]
        db.close()
    }

    /// Runs `body` on one state of the trace.
    func snapshot<Result>(_ body: () throws -> Result) throws(FleetError) -> Result {
        try mapped {
            try db.execute("BEGIN")
            defer { db.rollBack() }
            return try body()
        }
    }

    /// Ends all statements.
    func endReading() { for statement in statements.values { statement.reset() } }

    func statement(_ sql: String) throws -> Statement {
        if let found = statements[sql] {
            found.reset()
            return found
        }
        let made = try db.prepare(sql)
        statements[sql] = made
        return made
    }

    // MARK: Selection

    /// Numbers of a unit that are final, of those in `open`, in order.
    ///
    /// - Parameters:
    ///   - unit: The unit.
    ///   - open: Numbers that were in no batch.
    ///   - live: The session that is being recorded; nil for none.
    ///   - sessions: The sessions of which rows are taken; nil for all.
    ///   - lastGap: The last gap that there was when the trace was shipped first.
    ///   - size: About how many bytes at most; one is taken in any case.
    /// - Returns: The numbers, and whether there may be more.
    /// - Throws: ``FleetError``.
    func ready(
        _ unit: FleetUnit, open: NumberRanges, live: Int64?, sessions: ClosedRange<Int64>?,
        lastGap: Int64,
        size: Int
    ) throws(FleetError) -> (numbers: NumberRanges, isMore: Bool) {
        try mapped {
            let lead = unit.lead
            let condition =
                switch unit.readiness {
                case .inOrder, .atOnce: "1"
                case .when(let condition): "((\(condition)) OR t.session_id <> ?3)"
                case .afterSession: "\(lead.session) <> ?3"
                }
            // The owner of a row is looked up where a condition needs it.
            var from = "\(lead.name) t"
            if case .afterSession = unit.readiness { from = lead.from }
            var bound = ""
            if sessions != nil {
                from = lead.from
                bound = " AND \(lead.session) BETWEEN ?4 AND ?6"
            }
            if let filter = unit.filter { bound += " AND \(filter)" }
            let key = "t.\(lead.key)"
            let rows = try statement(
                """
                SELECT \(key), \(unit.size) FROM \(from)
                WHERE \(key) BETWEEN ?1 AND ?2 AND \(condition)\(bound) ORDER BY \(key) LIMIT \(Self.maxRows)
                """)
            var found = NumberRanges()
            var count = 0
            var left = size
            for range in open.ranges {
                rows.reset()
                rows.bind(1, range.lowerBound)
                rows.bind(2, range.upperBound)
                // Without a session that is being recorded, all have ended.
                rows.bind(3, live ?? -1)
                if let sessions {
                    rows.bind(4, sessions.lowerBound)
                    rows.bind(6, sessions.upperBound)
                }
                if unit.filter != nil { rows.bind(5, lastGap) }
                while try rows.step() {
                    let cost = Int(rows.integer(1))
                    if count > 0, left < cost || count >= Self.maxRows {
                        rows.reset()
                        return (found, true)
                    }
                    found.append(rows.integer(0))
                    left -= cost
                    count += 1
                }
            }
            return (found, false)
        }
    }

    /// The first chunk of the rows of a unit's first table that are in `open`; nil without any.
    func first(
        _ place: String, of unit: FleetUnit, in open: NumberRanges, sessions: ClosedRange<Int64>?
    ) throws(FleetError) -> Int64? {
        try mapped {
            let lead = unit.lead
            let rows = try statement(
                """
                SELECT min(t.\(place)) FROM \(lead.from) WHERE t.\(lead.key) BETWEEN ?1 AND ?2
                AND (?3 IS NULL OR \(lead.session) BETWEEN ?3 AND ?4)
                """)
            var first: Int64?
            for range in open.ranges {
                rows.reset()
                rows.bind(1, range.lowerBound)
                rows.bind(2, range.upperBound)
                rows.bind(3, sessions?.lowerBound)
                rows.bind(4, sessions?.upperBound)
                guard try rows.step(), let found = rows.optionalInteger(0) else { continue }
                first = min(first ?? found, found)
            }
            rows.reset()
            return first
        }
    }

    /// Rows of a unit's first table in one batch.
    private static let maxRows = 50_000

    // MARK: Rows

    /// The rows of `table` that belong to `numbers`, by day.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - numbers: Numbers of the unit's first table.
    ///   - only: The day; nil for all.
    ///   - batch: The number of the batch of a day.
    /// - Returns: What is sent for each day.
    /// - Throws: ``FleetError``.
    func encode(
        _ table: FleetTable, _ numbers: NumberRanges, only: Int?, batch: (Int) -> Int64
    ) throws(FleetError) -> [Int: Encoded] {
        try mapped {
            let sources = table.columns.map(Source.init)
            let rows = try statement(Self.query(table))
            var days: [Int: Encoded] = [:]
            var numbersOfBatches: [Int: Int64] = [:]
            for range in numbers.ranges {
                rows.reset()
                rows.bind(1, range.lowerBound)
                rows.bind(2, range.upperBound)
                while try rows.step() {
                    let at = rows.integer(0)
                    let day = DayText.day(at)
                    if let only, day != only { continue }
                    let session = rows.integer(1)
                    let number = numbersOfBatches[day] ?? batch(day)
                    numbersOfBatches[day] = number
                    try append(
                        rows, sources, at: at, day: day, session: session, batch: number,
                        to: &days[day, default: Encoded()])
                }
            }
            return days
        }
    }

    /// A source of a column with what it needs at hand.
    private enum Source {
        case recorder, day, at, batch, session, labelNames, labelValues
        case number, optionalNumber, text, optionalText, fieldNames, fieldValues
        case field(String)
        case words
        case wordsBefore

        init(_ column: FleetColumn) {
            switch column.source {
            case .recorder: self = .recorder
            case .day: self = .day
            case .at: self = .at
            case .batch: self = .batch
            case .session: self = .session
            case .labelNames: self = .labelNames
            case .labelValues: self = .labelValues
            case .fieldNames: self = .fieldNames
            case .fieldValues: self = .fieldValues
            case .field(let name, _): self = .field(name)
            case .words(let expression): self = expression == nil ? .wordsBefore : .words
            case .value:
                switch column.kind {
                case .number, .day: self = .number
                case .optionalNumber: self = .optionalNumber
                case .text, .texts: self = .text
                case .optionalText: self = .optionalText
                }
            }
        }
    }

    private static func query(_ table: FleetTable) -> String {
        var head: String?
        let values = table.columns.compactMap { column -> String? in
            switch column.source {
            case .value(let expression), .field(_, let expression): return expression
            case .words(let expression): return expression
            case .fieldNames(let expression):
                head = expression
                return expression
            // The column before it has the same head.
            case .fieldValues(let expression): return head == expression ? nil : expression
            default: return nil
            }
        }
        return """
            SELECT \(table.at), \(table.session), \(values.joined(separator: ", "))
            FROM \(table.from) WHERE \(table.range) ORDER BY t.\(table.key)
            """
    }

    private func append(
        _ row: Statement, _ sources: [Source], at: Int64, day: Int, session: Int64, batch: Int64,
        to encoded: inout Encoded
    ) throws {
        let binary = encoded.binary
        encoded.rows += 1
        let sessions = encoded.sessions ?? session...session
        encoded.sessions = min(sessions.lowerBound, session)...max(sessions.upperBound, session)
        var column: Int32 = 2
        for source in sources {
            switch source {
            case .recorder: binary.append(text: recorder)
            case .day: binary.append(day: day)
            case .at: binary.append(at)
            case .batch: binary.append(batch)
            case .session: binary.append(session)
            case .labelNames: binary.append(encoded: try labelBytes(session).names)
            case .labelValues: binary.append(encoded: try labelBytes(session).values)
            case .number:
                binary.append(row.integer(column))
                column += 1
            case .optionalNumber:
                let isNull = row.isNull(column)
                binary.append(isNull: isNull)
                if !isNull { binary.append(row.integer(column)) }
                column += 1
            case .text:
                binary.append(text: row.borrowed(column))
                column += 1
            case .optionalText:
                let isNull = row.isNull(column)
                binary.append(isNull: isNull)
                if !isNull { binary.append(text: row.borrowed(column)) }
                column += 1
            case .fieldNames:
                let head = row.borrowed(column)
                fields.read(head)
                fields.appendNames(of: head, to: binary)
                column += 1
            case .fieldValues:
                // The column before it is the same head.
                fields.appendValues(of: row.borrowed(column - 1), to: binary)
            case .field(let name):
                let value = HeadFields.value(of: name, in: row.borrowed(column))
                binary.append(isNull: value == nil)
                if let value { binary.append(text: Array(value.utf8)) }
                column += 1
            case .words:
                binary.append(text: WordQuery.folded(row.borrowed(column)))
                column += 1
            case .wordsBefore:
                let isText = row.integer(column - 1) == 1
                binary.append(
                    text: isText ? WordQuery.folded(row.borrowed(column - 2)) : [])
            }
        }
    }

    private func labelBytes(_ session: Int64) throws -> (names: [UInt8], values: [UInt8]) {
        if let found = encodedLabels[session] { return found }
        let labels = try labels(session)
        let names = RowBinary()
        names.append(texts: labels.map { Array($0.name.utf8) })
        let values = RowBinary()
        values.append(texts: labels.map { Array($0.value.utf8) })
        encodedLabels[session] = (names.bytes, values.bytes)
        return (names.bytes, values.bytes)
    }
}
