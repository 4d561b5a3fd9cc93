import Faults
import Notation
import Serving
import Wire

/// Answers requests of either socket.
struct ControlService: Sendable {
    /// A request as the service needs it.
    struct Question {
        /// The name in the path, decoded; empty where there is none.
        var name = ""
        /// The body, at most ``ControlResponder/longestBody`` bytes.
        var body: [UInt8] = []
        /// Whether the body is plain text rather than JSON.
        var isText = false
    }

    /// The answer.
    struct Answer {
        /// The status.
        var status = 200
        /// The body; nil for none.
        var body: JSONValue?
        /// The location of the created resource.
        var location: String?
    }

    let configuration: ControlConfiguration
    let plan: PlanReloading?
    let holders: Holders
    /// The rules that are controlled.
    var session: FaultSession { configuration.session }

    /// Performs a request.
    func answer(
        _ route: ControlRoute, _ question: Question
    ) async throws(ServedProblem) -> Answer {
        switch route {
        case .health: return await health()
        case .description: return Answer(body: OpenAPI.document)
        case .counts: return counts()
        case .seed: return Answer(body: .object([("seed", .string("\(session.seed)"))]))
        case .listRules: return rules()
        case .showRule: return Answer(body: try status(of: question.name).json)
        case .addRule: return try add(question)
        case .changeRule: return try change(question)
        case .removeRule:
            try edit { () throws(FaultSessionError) in try session.remove(question.name) }
            return Answer(status: 204)
        case .pauseRule:
            return try edited(question.name) { name throws(FaultSessionError) in
                try session.pause(name)
            }
        case .resumeRule:
            return try edited(question.name) { name throws(FaultSessionError) in
                try session.resume(name)
            }
        case .resetRule:
            return try edited(question.name) { name throws(FaultSessionError) in
                try session.reset(name)
            }
        case .pauseAll:
            try edit { () throws(FaultSessionError) in try session.pause() }
            return rules()
        case .resumeAll:
            try edit { () throws(FaultSessionError) in try session.resume() }
            return rules()
        case .resetAll:
            try edit { () throws(FaultSessionError) in try session.reset() }
            return rules()
        case .listMarks: return Answer(body: Self.list("marks", session.marks.map(\.json)))
        case .putMark: return try putMark(question)
        case .reload: return try await reload()
        case .listConnections:
            let open = await configuration.connections()
            return Answer(body: Self.list("connections", open.map(\.json)))
        case .fire: return try await fire(question)
        case .listHeld: return await listHeld()
        case .decideAll: return try await decideAll(question)
        case .showHeld: return try await showHeld(question)
        case .decide: return try await decide(question)
        case .addHolder: return try addHolder(question)
        case .renewHolder: return try await renewHolder(question)
        case .removeHolder: return try await removeHolder(question)
        }
    }

    static func list(_ name: String, _ elements: [JSONValue]) -> JSONValue {
        .object([(name, .array(elements))])
    }

    private func health() async -> Answer {
        let open = await configuration.connections().count
        return Answer(
            body: .object([
                ("status", .string("ok")), ("version", .string(configuration.version)),
                ("now_ns", .integer(configuration.now().nanoseconds)),
                ("rules", .integer(session.rules.count)), ("connections", .integer(open)),
            ]))
    }

    private func reload() async throws(ServedProblem) -> Answer {
        guard let plan else {
            throw ServedProblem(
                409, "no-plan-file", "the plan has no file",
                hint: "start with --faults FILE, or add rules: POST /v1/rules")
        }
        try await plan.reload()
        return rules()
    }

    private func putMark(_ question: Question) throws(ServedProblem) -> Answer {
        let name: String
        if question.isText {
            name = String(decoding: question.body, as: UTF8.self)
        } else {
            let fields = try RequestFields(question.body, allowed: ["name"])
            name = try fields.text("name")
        }
        guard (1...100).contains(name.count),
            !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw ServedProblem(
                422, "bad-mark", "a mark has 1 to 100 characters, and no control characters",
                hint: "send {\"name\": \"offline\"}")
        }
        let row = MarkRow(at: configuration.now(), name: name)
        session.mark(row.name, at: row.at)
        configuration.mark(row)
        return Answer(status: 201, body: row.json)
    }
}

extension MarkRow {
    /// The mark as JSON.
    var json: JSONValue {
        .object([("name", .string(name)), ("at_ns", .integer(at.nanoseconds))])
    }
}
