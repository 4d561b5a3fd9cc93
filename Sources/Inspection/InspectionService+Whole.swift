internal import Filters
internal import Notation
internal import Serving
internal import Trace
internal import Wire

/// What a whole trace is read for.
extension InspectionService {
    func timeline(_ question: Question) async throws(ServedProblem) -> ServedAnswer {
        let named = question.parameter("by") ?? "connection"
        guard let grouping = TimelineKeeper.Grouping(rawValue: named) else {
            throw ServedProblem(
                400, "bad-grouping", "'\(named)' is no grouping",
                hint: "give connection, client or bucket")
        }
        let most = Int64.max / 4
        let from = try question.number("from_ns", 0...most, or: -1)
        let to = try question.number("to_ns", 0...most, or: -1)
        let width = Int(try question.number("width", 1...10_000, or: 1_200))
        let text = question.parameter("filter")
        let filter = try Self.filter(text)
        let trace = try trace(question)
        return Self.json(
            try await trace.timelines.keeper(filter, text ?? "").answer(
                from: from < 0 ? nil : from, to: to < 0 ? nil : to, width: width, by: grouping,
                findings: trace.findings.timelineMarks))
    }

    /// Every version of an object, or what happened to a case.
    func objects(_ question: Question) async throws(ServedProblem) -> ServedAnswer {
        let key = question.parameter("key")
        let caseID = question.parameter("case")
        guard key != nil || caseID != nil else {
            throw ServedProblem(
                400, "no-object", "neither a key nor a case is named",
                hint: "give bucket and key, or case")
        }
        let bucket = question.parameter("bucket") ?? ""
        let tools = tools
        let versions = try await trace(question).slowDesk.read { reader throws(TraceError) in
            if let key { return try tools.versions(of: key, in: bucket, reader) }
            let clock = TraceClock(try reader.sessions())
            let blocks = try reader.history(ofCase: caseID ?? "").map { Self.json($0, clock) }
            return "[\(blocks.joined(separator: ","))]"
        }
        var object = JSONObjectText()
        object.add("versions", raw: versions)
        return Self.json(object.text)
    }

    private static func json(_ block: CaseVersion, _ clock: TraceClock) -> String {
        var object = JSONObjectText()
        object.add("row", "\(block.exchange)")
        object.add("at_ns", clock.nanoseconds(block.at, in: block.session))
        object.add("sender", block.sender.description)
        object.add("action", block.action)
        object.add("case_type", block.caseType)
        object.add("case_name", block.caseName)
        object.add("owner_id", block.ownerID)
        object.add("date_modified", block.dateModified)
        object.add("properties", raw: block.properties ?? "null")
        object.add("status", block.status.map(Int64.init))
        return object.text
    }

    /// The state of both sides, and where they differ.
    func state(_ question: Question) async throws(ServedProblem) -> ServedAnswer {
        let trace = try trace(question)
        var arguments = ["state", trace.path, "--json"]
        for name in ["at", "session", "bucket", "user", "key"] {
            // With `=`, a value cannot be taken for another option.
            if let value = question.parameter(name) { arguments.append("--\(name)=\(value)") }
        }
        let (stated, differences) = (arguments, arguments + ["--diff"])
        async let all = tools.run(stated)
        async let different = tools.run(differences)
        var object = JSONObjectText()
        object.add("lines", raw: try Self.lines(await all))
        object.add("differences", raw: try Self.lines(await different))
        return Self.json(object.text)
    }

    /// How this trace differs from another that is open, or a session of it from another session.
    func compare(_ question: Question) async throws(ServedProblem) -> ServedAnswer {
        let first = try trace(question)
        let other = try question.number("with", 1...Int64(Int32.max), or: Int64(first.id))
        guard let second = traces.first(where: { $0.id == other }) else {
            throw ServedProblem(
                404, "no-trace", "there is no trace \(other) to compare with",
                hint: "tapedeck inspect A B opens two")
        }
        var arguments = ["diff", first.path, second.path, "--json"]
        for (name, option) in [("session", "--session"), ("with_session", "--with-session")] {
            let session = try question.number(name, 1...Int64(Int32.max), or: 0)
            if session > 0 { arguments.append("\(option)=\(session)") }
        }
        let outcome = await tools.run(arguments)
        var object = JSONObjectText()
        object.add("lines", raw: try Self.lines(outcome))
        object.add("differs", isTrue: outcome.status == 1)
        return Self.json(object.text)
    }

    /// The known findings, as they are or as the request has them.
    func baseline(
        _ route: InspectionRoute, _ question: Question
    ) throws(ServedProblem) -> ServedAnswer {
        let baseline = try trace(question).baseline
        if route == .writeBaseline {
            guard !isReadOnly else { throw Self.readOnly }
            let hint = #"send {"text": "RULE FINGERPRINT\n"}"#
            guard case .string(let text)? = try Self.body(question, hint)["text"] else {
                throw ServedProblem(400, "no-text", "the object has no text", hint: hint)
            }
            try baseline.write(text)
        }
        return Self.json(try baseline.answer(canWrite: !isReadOnly))
    }

    /// Which clients have connected, and how that went.
    func clients(_ question: Question) async throws(ServedProblem) -> ServedAnswer {
        let report = try await trace(question).slowDesk.read { reader throws(TraceError) in
            try ClientsReport(reader).json
        }
        return Self.json(report)
    }

    /// The lines of a command as an array.
    private static func lines(_ outcome: ToolOutcome) throws(ServedProblem) -> String {
        // 1 says that there is something: findings, differences.
        guard outcome.status == 0 || outcome.status == 1 else { throw ServedProblem(outcome) }
        let lines = outcome.output.split(separator: UInt8(ascii: "\n"))
        let all = Array(lines.joined(separator: CollectionOfOne(UInt8(ascii: ","))))
        return "[\(String(decoding: all, as: UTF8.self))]"
    }

    func report(_ question: Question) async throws(ServedProblem) -> ServedAnswer {
        let filter = question.parameter("filter")
        _ = try Self.filter(filter)
        let hasSecrets = question.parameter("secrets") == "1"
        return try await export(
            try trace(question), "report.html", filter, hasSecrets ? ["--secrets"] : [],
            "text/html; charset=utf-8")
    }

    func har(_ question: Question) async throws(ServedProblem) -> ServedAnswer {
        guard case .line(let place) = try rowName(question), place.subject == .exchange else {
            throw ServedProblem(
                400, "no-exchange", "a HAR has exchanges, and this is none",
                hint: "give the number of an exchange")
        }
        return try await export(
            try trace(question), "exchange-\(place.id).har", "kind:exchange id:\(place.id)", [],
            "application/json")
    }

    private func export(
        _ trace: InspectedTrace, _ name: String, _ filter: String?, _ options: [String],
        _ type: String
    ) async throws(ServedProblem) -> ServedAnswer {
        let outcome = await tools.export(
            trace.path, name, options + (filter.map { ["--", $0] } ?? []))
        guard outcome.status == 0 else { throw ServedProblem(outcome) }
        return Self.download(outcome.output, name, type)
    }

    // MARK: The recording, and replays

    /// Passes a request on to the control interface of the recording.
    func control(_ question: Question) async throws(ServedProblem) -> ServedAnswer {
        let trace = try trace(question)
        let request = question.request
        guard !isReadOnly || request.method == "GET" else { throw Self.readOnly }
        let path =
            "/"
            + question.names.rest.map { PercentEncoding.encode($0, keeping: .path) }
            .joined(separator: "/")
        let query = request.target.firstIndex(of: "?").map { String(request.target[$0...]) } ?? ""
        let answer = await tools.control(
            trace.controlPath, request.method, path + query,
            request.method == "GET" ? nil : request.body,
            // A media type has no control characters: they would begin another field.
            (request.value("content-type") ?? "application/json").filter { !$0.isNewline })
        guard let answer else {
            throw ServedProblem(
                503, "no-recording", "no recording of \(trace.name) answers",
                hint: "start tapedeck record \(trace.path), without --no-control")
        }
        return Self.json(String(decoding: answer.body, as: UTF8.self), answer.status)
    }

    static var readOnly: ServedProblem {
        ServedProblem(
            403, "read-only", "the inspector was started with --read-only",
            hint: "start it without")
    }

    func replay(
        _ route: InspectionRoute, _ question: Question
    ) async throws(ServedProblem) -> ServedAnswer {
        let trace = try trace(question)
        switch route {
        case .startReplay:
            guard !isReadOnly else { throw Self.readOnly }
            try await replays.start(trace.path, tools)
        case .stopReplay: await replays.stop(trace.path)
        default: break
        }
        let address = await replays.address(of: trace.path)
        var object = JSONObjectText()
        object.add("is_running", isTrue: address != nil)
        object.add("address", address)
        object.add(
            "commands",
            texts: [
                "tapedeck replay server \(ShellWord.quoted(trace.path))",
                "tapedeck replay client \(ShellWord.quoted(trace.path)) --to URL",
                "tapedeck serve --from \(ShellWord.quoted(trace.path))",
            ])
        return Self.json(object.text)
    }

    func setup() async -> ServedAnswer { Self.json(await tools.setup()) }
}

extension ServedProblem {
    /// Why a command failed.
    init(_ outcome: ToolOutcome) {
        let text = outcome.errors.split(separator: "\n").joined(separator: " ")
        self.init(
            500, "failed", text.isEmpty ? "the command ended with \(outcome.status)" : text,
            hint: "run the same in a terminal to see more")
    }
}
