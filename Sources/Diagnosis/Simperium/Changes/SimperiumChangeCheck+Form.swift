import Dissection
import Notation
import Simperium
import Wire

/// Checks that need only the text of a client's command.
extension SimperiumChangeCheck {
    /// Rules by what the decoder tolerated.
    private static func rule(for note: SimperiumNote, in name: String) -> Rule? {
        switch (note.code, name) {
        case (.bucketName, "init"): return SimperiumChangeRules.bucketGrammar
        case (.keyCharacters, "c"), (.keyCharacters, "e"): return SimperiumChangeRules.keyGrammar
        case (_, "c"): break
        default: return nil
        }
        switch note.code {
        case .changeArrayFromClient: return SimperiumChangeRules.arrayFromClient
        case .changeNotAnObject: return SimperiumChangeRules.unreadable
        case .changeMissing: return SimperiumChangeRules.missingField
        case .serverField, .ccidsFromClient: return SimperiumChangeRules.serverField
        case .changeOperation: return SimperiumChangeRules.unknownOperation
        case .dataWrapped: return SimperiumChangeRules.wrappedData
        case .notAnObject:
            return note.field == "d"
                ? SimperiumChangeRules.wrappedData : SimperiumChangeRules.malformedOperation
        case .removeWithValue: return SimperiumChangeRules.removeWithValue
        case .ccidCharacters: return SimperiumChangeRules.ccidGrammar
        case .deltaMalformed: return SimperiumChangeRules.malformedDelta
        case .deltaUnusual: return SimperiumChangeRules.unusualDelta
        case .operationUnknown: return SimperiumChangeRules.unknownFieldOperation
        case .operationMalformed: return SimperiumChangeRules.malformedOperation
        default: return nil
        }
    }

    /// Whether a change can be compared with its object.
    static func isSound(_ command: SimperiumCommand) -> Bool {
        guard command.problem == nil else { return false }
        return command.notes.allSatisfy { note in
            switch note.code {
            case .changeNotAnObject, .changeMissing, .changeOperation, .dataWrapped, .notAnObject,
                .removeWithValue, .keyCharacters, .ccidCharacters, .deltaMalformed, .deltaUnusual,
                .operationUnknown, .operationMalformed:
                false
            default: true
            }
        }
    }

    /// Whether its form breaks a rule; most notes are about other things.
    private static func isFaulty(_ command: SimperiumCommand) -> Bool {
        command.problem != nil
            || command.notes.contains { rule(for: $0, in: command.name) != nil }
    }

    mutating func judgeForm(
        of command: CommandEvidence, _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard let said = command.said, !command.isCut, Self.isFaulty(said.command) else { return }
        let channel = said.command.channel.flatMap {
            connections[command.row.connection]?.channels[$0]
        }
        let client =
            channel.map(\.clientID).flatMap { $0.isEmpty ? nil : $0 }
            ?? session.client(of: command.row.connection)
        func add(_ rule: Rule, _ detail: String, _ step: String, _ range: Range<Int>?) {
            report.add(
                Finding(
                    rule, connection: command.row.connection, client: client,
                    topic: topic(
                        channel?.bucketName ?? "", said.command.key.map { ExactText($0) }),
                    detail: detail, steps: [FindingStep(command, step, range)]))
        }
        if said.command.name == "c", let problem = said.command.problem {
            add(
                SimperiumChangeRules.unreadable,
                "The payload of a c cannot be read as a change: \(problem).", "cannot be read",
                said.command.payload)
        }
        var reported: Set<String> = []
        for note in said.command.notes {
            guard let rule = Self.rule(for: note, in: said.command.name),
                reported.insert(rule.id).inserted
            else { continue }
            let range = Quote.value(in: said.text, at: note.offset)
            add(
                rule, "\(Self.words(note, said.command)): `\(Quote.short(said.text[range]))`.",
                "what was sent", range)
        }
    }

    private static func words(_ note: SimperiumNote, _ command: SimperiumCommand) -> String {
        switch (note.code, note.field) {
        case (.changeMissing, let field?): "A change has no \(field)"
        case (.changeArrayFromClient, _): "The client sends an array, where one change is an object"
        case (.dataWrapped, _): "The d of a change is a wrapper {version, data}, not the object"
        case (.notAnObject, "d"?): "The d of a change is not an object"
        case (.notAnObject, _): "The v of a change is not a map of operations"
        case (.serverField, let field?):
            "A client's change has \(field), which only the server sets"
        default: note.code.detail.prefix(1).uppercased() + note.code.detail.dropFirst()
        }
    }
}
