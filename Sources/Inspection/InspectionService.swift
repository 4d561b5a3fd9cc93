internal import Dissection
internal import Filters
internal import Notation
internal import Serving
internal import Trace
internal import Wire

/// Answers the requests of pages.
struct InspectionService: Sendable {
    /// A request with what its path names.
    struct Question: Sendable {
        var names: InspectionRoute.Names
        var request: ServedRequest

        /// A parameter of the query; nil without one.
        func parameter(_ name: String) -> String? {
            request.parameter(name).flatMap { $0.isEmpty ? nil : $0 }
        }

        /// A number of the query in a range; `usual` without one.
        ///
        /// - Throws: ``ServedProblem`` where it is something else.
        func number(
            _ name: String, _ range: ClosedRange<Int64>, or usual: Int64
        ) throws(ServedProblem) -> Int64 {
            guard let text = parameter(name) else { return usual }
            guard let number = Int64(text), range.contains(number) else {
                throw ServedProblem(
                    400, "bad-number", "\(name) is '\(text)'",
                    hint: "give a number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
    }

    let traces: [InspectedTrace]
    let tools: any InspectionTools
    let version: String
    /// Whether nothing may be changed: neither rules of a recording nor files.
    let isReadOnly: Bool
    let replays: Replays

    /// Performs a request.
    func answer(
        _ route: InspectionRoute, _ question: Question
    ) async throws(ServedProblem) -> ServedAnswer {
        switch route {
        case .traces: return try await describeTraces()
        case .fields: return Self.json(Self.fields)
        case .filter:
            let filter = try Self.filter(question.parameter("text"))
            var object = JSONObjectText()
            object.add("ok", isTrue: true)
            object.add("fields", texts: filter?.fields.map(\.rawValue).sorted() ?? [])
            return Self.json(object.text)
        case .setup: return await setup()
        case .values: return try await values(question)
        case .makeListing: return try await makeListing(question)
        case .showListing:
            return Self.json(Self.text(of: try listing(question).listing))
        case .dropListing:
            try trace(question).listings.drop(question.names.listing)
            return ServedAnswer(204, nil)
        case .rows: return try await rows(question)
        case .place: return try place(question)
        case .row: return try await row(question)
        case .content: return try await content(question)
        case .raw: return try await raw(question)
        case .curl: return try await curl(question)
        case .har: return try await har(question)
        case .text: return try await text(question)
        case .stored: return try await stored(question)
        case .objects: return try await objects(question)
        case .timeline: return try await timeline(question)
        case .state: return try await state(question)
        case .showBaseline, .writeBaseline: return try baseline(route, question)
        case .clients: return try await clients(question)
        case .findings: return Self.json(try await trace(question).findings.answer())
        case .compare: return try await compare(question)
        case .report: return try await report(question)
        case .showReplay, .startReplay, .stopReplay: return try await replay(route, question)
        case .control: return try await control(question)
        }
    }

    // MARK: Parts

    /// The trace that the path names.
    func trace(_ question: Question) throws(ServedProblem) -> InspectedTrace {
        guard let trace = traces.first(where: { $0.id == question.names.trace }) else {
            throw ServedProblem(
                404, "no-trace", "there is no trace \(question.names.trace)",
                hint: "GET /v1/traces lists them")
        }
        return trace
    }

    /// The listing that the path names, and its trace.
    func listing(
        _ question: Question
    ) throws(ServedProblem) -> (trace: InspectedTrace, listing: Listing) {
        let trace = try trace(question)
        return (trace, try trace.listings.listing(question.names.listing))
    }

    /// The row that the path names.
    func rowName(_ question: Question) throws(ServedProblem) -> RowName {
        guard let name = RowName(question.names.row) else {
            throw ServedProblem(
                400, "bad-row", "'\(question.names.row)' is no name of a row",
                hint: "12 is an exchange, c12 a command, m12 a message, k12 a connection")
        }
        return name
    }

    /// A filter; nil for an empty one.
    static func filter(_ text: String?) throws(ServedProblem) -> Filter? {
        guard let text, !text.allSatisfy(\.isWhitespace) else { return nil }
        do {
            return try Filter.parse(text)
        } catch {
            throw ServedProblem(
                400, "bad-filter", error.description,
                place: .init(
                    line: 1, column: error.range.lowerBound + 1, text: text, range: error.range),
                hint: "correct the filter at the place; GET /v1/fields lists the fields")
        }
    }

    /// The object in the body of a request.
    ///
    /// - Throws: ``ServedProblem`` with this hint where there is none.
    static func body(
        _ question: Question, _ hint: String
    ) throws(ServedProblem) -> JSONObject {
        let text = String(decoding: question.request.body, as: UTF8.self)
        guard case .object(let object)? = try? JSONValue(parsing: text) else {
            throw ServedProblem(400, "bad-json", "the body is no JSON object", hint: hint)
        }
        return object
    }

    static func json(_ text: String, _ status: Int = 200) -> ServedAnswer {
        ServedAnswer(
            status,
            fields: [
                .init("Cache-Control", "no-store"), .init("X-Content-Type-Options", "nosniff"),
                .init("Content-Type", "application/json; charset=utf-8"),
            ], body: Array(text.utf8))
    }

    static func missing(_ question: Question) -> ServedProblem {
        ServedProblem(
            404, "no-row", "there is no row \(question.names.row) in the trace",
            hint: "it may have been evicted; the listing has what is there")
    }

    static func text(of listing: Listing) -> String {
        var object = JSONObjectText()
        object.add("id", Int64(listing.id))
        add(listing.progress, to: &object)
        return object.text
    }

    static func add(_ progress: Listing.Progress, to object: inout JSONObjectText) {
        object.add("count", Int64(progress.count))
        object.add("is_complete", isTrue: progress.isComplete)
        object.add("changes", Int64(progress.changes))
        object.add("problem", progress.problem)
    }

    // MARK: Traces and fields

    private func describeTraces() async throws(ServedProblem) -> ServedAnswer {
        var items: [String] = []
        for trace in traces {
            let hasControl =
                await tools.control(trace.controlPath, "GET", "/v1/health", nil, "") != nil
            items.append(
                try await trace.desk.read { reader throws(TraceError) in
                    try describe(trace, hasControl, reader)
                })
        }
        var object = JSONObjectText()
        object.add("version", version)
        object.add("traces", raw: "[\(items.joined(separator: ","))]")
        return Self.json(object.text)
    }

    private func describe(
        _ trace: InspectedTrace, _ hasControl: Bool, _ reader: TraceReader
    ) throws(TraceError) -> String {
        let sessions = try reader.sessions()
        let clock = TraceClock(sessions)
        let numbers = try trace.counts(reader)
        var object = JSONObjectText()
        object.add("id", Int64(trace.id))
        object.add("name", trace.name)
        object.add("path", trace.path)
        object.add("is_live", isTrue: hasControl && sessions.last.map { $0.endedAt == nil } ?? true)
        object.add("can_control", isTrue: hasControl && !isReadOnly)
        object.add("is_read_only", isTrue: isReadOnly)
        object.add("warning", reader.warning)
        let items = sessions.map { session in
            var object = JSONObjectText()
            object.add("id", session.id.rawValue)
            object.add("start_ns", clock.start(of: session.id))
            object.add(
                "started",
                Timestamp(unixNanoseconds: session.startedUnixNanoseconds).text(digits: 3))
            object.add("started_ms", session.startedUnixNanoseconds / 1_000_000)
            object.add("provenance", session.provenance)
            object.add("version", session.version)
            object.add("ended_ns", session.endedAt.map { clock.nanoseconds($0, in: session.id) })
            return object.text
        }
        object.add("sessions", raw: "[\(items.joined(separator: ","))]")
        object.add("end_ns", try reader.nanoseconds())
        object.add("exchanges", numbers.exchange)
        object.add("commands", numbers.command)
        object.add("messages", numbers.message)
        return object.text
    }

    /// The fields of the filter language, for completion and help.
    static let fields: String = {
        let items = Field.all.map { field in
            let details = field.details
            var object = JSONObjectText()
            object.add("name", field.rawValue)
            object.add("summary", details.sentence)
            object.add("kind", details.kind.rawValue)
            object.add("is_family", isTrue: field.isFamily)
            object.add("subjects", texts: details.subjects.map(\.rawValue))
            object.add("values", texts: details.values ?? [])
            return object.text
        }
        var object = JSONObjectText()
        object.add("fields", raw: "[\(items.joined(separator: ","))]")
        return object.text
    }()

    private func values(_ question: Question) async throws(ServedProblem) -> ServedAnswer {
        let name = question.parameter("field") ?? ""
        guard let field = Field(rawValue: name) else {
            throw ServedProblem(
                400, "no-field", "'\(name)' is no field of the filter language",
                hint: "GET /v1/fields lists them")
        }
        let filter = try Self.filter(question.parameter("filter"))
        let limit = Int(try question.number("limit", 1...1_000, or: 50))
        let found = try await trace(question).slowDesk.read { reader throws(TraceError) in
            let found = try reader.values(of: field, filter, limit: limit)
            return found
        }
        let items = found.values.map { value in
            var object = JSONObjectText()
            object.add("value", value.value)
            object.add("count", Int64(value.count))
            return object.text
        }
        var object = JSONObjectText()
        object.add("values", raw: "[\(items.joined(separator: ","))]")
        object.add("is_complete", isTrue: found.isComplete)
        return Self.json(object.text)
    }

    // MARK: Listings

    /// How long the answer about a new listing waits for its first rows.
    private static let patience = Duration.milliseconds(50)

    private func makeListing(_ question: Question) async throws(ServedProblem) -> ServedAnswer {
        let body =
            question.request.body.isEmpty
            ? JSONObject([]) : try Self.body(question, #"send {"filter": "status:503"}"#)
        var filterText: String?
        if case .string(let text)? = body["filter"] { filterText = text }
        var side = LineSide.client
        if case .string(let text)? = body["side"] {
            guard let named = LineSide(rawValue: text) else {
                throw ServedProblem(
                    400, "bad-side", "'\(text)' is no side", hint: "give client, server or all")
            }
            side = named
        }
        let listing = try trace(question).makeListing(try Self.filter(filterText), side)
        // A page that knows of rows asks for them at once.
        await listing.begin(within: Self.patience)
        var answer = Self.json(Self.text(of: listing), 201)
        answer.fields.append(
            .init("Location", "/v1/traces/\(question.names.trace)/listings/\(listing.id)"))
        return answer
    }

    private func rows(_ question: Question) async throws(ServedProblem) -> ServedAnswer {
        let (trace, listing) = try listing(question)
        let first = Int(try question.number("from", 0...Int64(Int32.max), or: 0))
        let count = Int(try question.number("count", 1...500, or: 200))
        let places = listing.places(from: first, count: count)
        let rows = try await trace.desk.read { reader throws(TraceError) in
            let objects = try trace.objects(reader)
            var rows: [String] = []
            for line in try reader.lines(at: places) {
                rows.append(try objects.object(line, text: Self.text(of: line, reader)).text)
            }
            return rows
        }
        var object = JSONObjectText()
        object.add("from", Int64(first))
        object.add("count", Int64(listing.progress.count))
        object.add("rows", raw: "[\(rows.joined(separator: ",\n"))]")
        return Self.json(object.text)
    }

    /// The text of a command; empty for what is none.
    static func text(
        of line: TraceLine, _ reader: TraceReader
    ) throws(TraceError) -> [UInt8] {
        guard case .command(_, let row) = line else { return [] }
        return try reader.text(of: row.id)
    }

    private func place(_ question: Question) throws(ServedProblem) -> ServedAnswer {
        let name = question.parameter("row") ?? ""
        guard case .line(let place)? = RowName(name) else {
            throw ServedProblem(
                400, "bad-row", "'\(name)' is no name of a row",
                hint: "12 is an exchange, c12 a command, m12 a message")
        }
        let position = try listing(question).listing.position(of: place)
        var object = JSONObjectText()
        object.add("row", name)
        object.add("place", position.map(Int64.init))
        return Self.json(object.text)
    }
}
