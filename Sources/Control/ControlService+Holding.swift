import Faults
import Notation
import Serving
import Wire

/// Messages that somebody decides about.
extension ControlService {
    /// Those that are held, oldest first.
    func listHeld() async -> Answer {
        let now = configuration.now()
        return Answer(body: Self.list("held", await configuration.held().map { $0.json(at: now) }))
    }

    /// One that is held, in the form in which it can be changed.
    func showHeld(_ question: Question) async throws(ServedProblem) -> Answer {
        let held = try await held(question.name)
        guard case .object(var object) = held.json(at: configuration.now()) else {
            return Answer()
        }
        let text = try? held.text
        if let text { object.members.append(JSONObject.Member("text", .string(text))) }
        let isCommand = if case .command = held.content { true } else { false }
        if isCommand || text == nil {
            let bytes = Base64.encode(held.bytes)
            object.members.append(JSONObject.Member("base64", .string(bytes)))
        }
        return Answer(body: .object(object))
    }

    /// Carries out what was decided about one.
    func decide(_ question: Question) async throws(ServedProblem) -> Answer {
        let held = try await held(question.name)
        let fields = try RequestFields(question.body, allowed: ["do", "text", "base64"])
        let decision: HoldDecision
        switch try fields.text("do") {
        case "release": decision = .release
        case "drop": decision = .drop
        case "edit": decision = .edit(try Self.bytes(fields, inPlaceOf: held))
        case "answer": decision = .answer(try Self.answer(fields, to: held))
        case let other:
            throw ServedProblem(
                422, "bad-decision", "\"\(other)\" cannot be done to a held message",
                hint: "do release, edit, drop or answer")
        }
        guard await configuration.decide(held.id, decision) else {
            throw Self.gone(question.name)
        }
        return Answer(status: 204)
    }

    /// All that is held goes on, or is dropped.
    func decideAll(_ question: Question) async throws(ServedProblem) -> Answer {
        let fields = try RequestFields(question.body, allowed: ["do"])
        let decision: HoldDecision
        switch try fields.text("do") {
        case "release": decision = .release
        case "drop": decision = .drop
        case let other:
            throw ServedProblem(
                422, "bad-decision", "\"\(other)\" cannot be done to all held messages",
                hint: "do release or drop")
        }
        return Answer(body: .object([("count", .integer(await decideAll(decision) { _ in true }))]))
    }

    /// Begins to hold what a filter finds, for as long as the holder renews it.
    func addHolder(_ question: Question) throws(ServedProblem) -> Answer {
        let fields = try RequestFields(question.body, allowed: ["filter", "for", "patience_ms"])
        let name = holders.nextName()
        let filter = try fields.text("filter")
        let duration = try fields.optionalText("for")
        let patience = try Self.patience(fields)
        let rules: [FaultRule]
        do throws(FaultPlanError) {
            rules = try FaultRule.holding(filter, named: name, for: duration)
        } catch {
            throw ServedProblem(error, code: "bad-rule")
        }
        for rule in rules {
            try edit { () throws(FaultSessionError) in try session.add(rule) }
        }
        holders.add(name, rules: rules.map(\.name), patience: patience)
        Task { await watch(name) }
        return Answer(
            status: 201, body: .object([("name", .string(name))]),
            location: "/v1/holders/\(PercentEncoding.encode(name))")
    }

    private static func patience(_ fields: RequestFields) throws(ServedProblem) -> Duration {
        guard let number = try fields.number("patience_ms") else { return Holders.patience }
        guard (1000...60_000).contains(number) else {
            throw ServedProblem(
                422, "bad-patience", "\"patience_ms\" is a number in 1000...60000",
                hint: "leave it out for 10000")
        }
        return .milliseconds(number)
    }

    /// A holder is there; gives what is held by its rules.
    func renewHolder(_ question: Question) async throws(ServedProblem) -> Answer {
        guard let rules = holders.renew(question.name) else { throw Self.noHolder(question.name) }
        let now = configuration.now()
        let held = await configuration.held().filter { rules.contains($0.firing.rule) }
        return Answer(body: Self.list("held", held.map { $0.json(at: now) }))
    }

    /// A holder goes, and what it holds goes on.
    func removeHolder(_ question: Question) async throws(ServedProblem) -> Answer {
        guard let rules = holders.remove(question.name) else { throw Self.noHolder(question.name) }
        await release(rules)
        return Answer(status: 204)
    }

    /// Waits until a holder has gone without a word.
    private func watch(_ name: String) async {
        while let rest = holders.rest(of: name) {
            guard rest <= .zero else {
                try? await Task.sleep(for: rest)
                continue
            }
            guard let rules = holders.remove(name) else { return }
            await release(rules)
            configuration.notice(
                "\(name) has not asked for the messages that it holds in time: they go on"
            )
        }
    }

    private func release(_ rules: [String]) async {
        for rule in rules { try? session.remove(rule) }
        _ = await decideAll(.release) { rules.contains($0.firing.rule) }
    }

    private func decideAll(
        _ decision: HoldDecision, _ isMeant: (HeldMessage) -> Bool
    ) async -> Int {
        var count = 0
        for held in await configuration.held() where isMeant(held) {
            if await configuration.decide(held.id, decision) { count += 1 }
        }
        return count
    }

    private func held(_ name: String) async throws(ServedProblem) -> HeldMessage {
        guard let held = await configuration.held().first(where: { $0.id.description == name })
        else { throw Self.gone(name) }
        return held
    }

    private static func gone(_ name: String) -> ServedProblem {
        ServedProblem(
            404, "not-held", "\(name) is not held: it went on, or a peer of its connection left",
            hint: "GET /v1/held lists what is held")
    }

    private static func noHolder(_ name: String) -> ServedProblem {
        ServedProblem(
            404, "no-holder", "there is no holder \(name)",
            hint: "POST /v1/holders adds one; it goes when it does not ask for its time")
    }

    /// What goes on in the place of a held message.
    private static func bytes(
        _ fields: RequestFields, inPlaceOf held: HeldMessage
    ) throws(ServedProblem) -> [UInt8] {
        if let bytes = try raw(fields) { return bytes }
        let text = try fields.text("text")
        do throws(EditableTextError) {
            return try held.bytes(of: text)
        } catch {
            throw problem(error, in: text)
        }
    }

    /// What its sender gets in the receiver's place.
    private static func answer(
        _ fields: RequestFields, to held: HeldMessage
    ) throws(ServedProblem) -> [UInt8] {
        if let bytes = try raw(fields) { return bytes }
        let text = try fields.text("text")
        do throws(EditableTextError) {
            return try held.answer(of: text)
        } catch {
            throw problem(error, in: text)
        }
    }

    private static func raw(_ fields: RequestFields) throws(ServedProblem) -> [UInt8]? {
        guard let text = try fields.optionalText("base64") else { return nil }
        guard let bytes = Base64.decode(text.utf8) else {
            throw ServedProblem(
                422, "bad-base64", "\"base64\" is not Base64", hint: "encode the bytes again")
        }
        return bytes
    }

    private static func problem(_ error: EditableTextError, in text: String) -> ServedProblem {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        var place: ServedProblem.Place?
        if let line = error.line, lines.indices.contains(line - 1) {
            let start = max(0, (error.column ?? 1) - 1)
            place = ServedProblem.Place(
                line: line, column: start + 1, text: String(lines[line - 1]),
                range: start..<(start + 1))
        }
        return ServedProblem(
            422, "bad-text", error.message, place: place,
            hint: "GET /v1/held/{id} shows the form of the text")
    }
}
