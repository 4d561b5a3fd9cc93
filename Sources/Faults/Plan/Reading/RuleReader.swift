import Filters

/// Makes rules of their parts.
struct RuleReader {
    /// Name of the rule, if it has one.
    var name: PlacedText?
    /// The filter.
    var filter: PlacedText
    /// Name of the action.
    var kind: PlacedText
    /// Arguments of the action.
    var arguments: [PlanWord]
    /// The schedule.
    var schedule: [PlanWord]

    /// Takes a rule of one line apart.
    ///
    /// - Throws: ``FaultPlanError``, with the place of the mistake.
    static func line(_ text: PlacedText) throws(FaultPlanError) -> RuleReader {
        let scalars = Array(text.text.unicodeScalars)
        let arrows = scalars.indices.filter { index in
            scalars[index] == "=" && index + 1 < scalars.count && scalars[index + 1] == ">"
                && (index == 0 || scalars[index - 1].properties.isWhitespace)
        }
        guard let first = arrows.first else { throw FaultPlanError(.missingArrow, text.end) }
        // An arrow may be part of a quotation or an expression: then what precedes it is not a
        // filter.
        let arrow = arrows.first { ConditionReader.isFilter(text.part(0..<$0)) } ?? first
        var scanner = PlanScanner(text, from: arrow + 2)
        var words = try scanner.words()
        guard let kind = words.first, kind.key == nil else {
            throw FaultPlanError(
                .missingAction, words.first?.key?.place ?? text.place(of: arrow..<arrow + 2))
        }
        words.removeFirst()
        var reader = RuleReader(
            name: nil, filter: text.part(0..<arrow), kind: kind.value, arguments: [], schedule: [])
        try reader.sort(words)
        return reader
    }

    /// Takes an action apart that is written like the part of a line after the arrow.
    static func action(
        _ text: PlacedText
    ) throws(FaultPlanError) -> (kind: PlacedText, arguments: [PlanWord]) {
        var scanner = PlanScanner(text)
        let words = try scanner.words()
        guard let kind = words.first, kind.key == nil else {
            throw FaultPlanError(.missingAction, text.place)
        }
        return (kind.value, Array(words.dropFirst()))
    }

    /// Puts each word where it belongs: what the action has an argument for is the action's.
    private mutating func sort(_ words: [PlanWord]) throws(FaultPlanError) {
        let status = PlanNumbers.integer(kind.text) == nil ? nil : ActionKind.status
        let parameters = (ActionKind(rawValue: kind.text) ?? status)?.specification
        for word in words {
            guard let key = word.key else {
                if word.value.text == "always", !word.isQuoted, !needsMore(parameters) {
                    schedule.append(word)
                } else {
                    arguments.append(word)
                }
                continue
            }
            if parameters?.parameter(key.text) != nil, key.text != "name" || !isComplete(parameters)
            {
                arguments.append(word)
            } else if key.text == "name" {
                guard name == nil else { throw FaultPlanError(.repeatedKey("name"), key.place) }
                name = word.value
            } else if ScheduleReader.keys.contains(key.text) {
                schedule.append(word)
            } else if key.text.hasPrefix("schedule-"),
                ScheduleReader.keys.contains(String(key.text.dropFirst(9)))
            {
                let rest = 9..<key.text.unicodeScalars.count
                schedule.append(
                    PlanWord(
                        key: key.part(rest), value: word.value, isQuoted: word.isQuoted,
                        hasValue: word.hasValue))
            } else {
                arguments.append(word)
            }
        }
    }

    /// Whether a value without a name is still to come.
    private func needsMore(_ specification: ActionSpecification?) -> Bool {
        let positional = specification?.parameters.filter { $0.isPositional && $0.isRequired } ?? []
        // A status in the place of the name is its code.
        let given = PlanNumbers.integer(kind.text) == nil ? 0 : 1
        return arguments.filter { $0.key == nil }.count + given < positional.count
    }

    /// Whether the argument `name` of a header action was given.
    private func isComplete(_ specification: ActionSpecification?) -> Bool {
        arguments.contains { $0.key == nil || $0.key?.text == "name" }
    }

    /// The rule; `fallback` names it where it has no name.
    func rule(
        named fallback: String, _ recordings: RecordingSource? = nil
    ) throws(FaultPlanError) -> FaultRule {
        if let name, !Self.isName(name.text) { throw FaultPlanError(.notAName, name.place) }
        let action = try ActionReader.read(kind, arguments)
        let schedule = try ScheduleReader.read(schedule)
        let condition = try ConditionReader.condition(filter, for: action)
        if action.lastsForWindow, schedule.to == nil {
            throw FaultPlanError(.endless(action.kind), kind.place)
        }
        if schedule.after > 0,
            let why = action.kind.specification.refusalToWait(action, condition.phase)
        {
            let word = self.schedule.last { $0.key?.text == "after" }
            throw FaultPlanError(.contradiction(why), word?.value.place ?? kind.place)
        }
        if action.kind == .recorded, let problem = recordings?.problem(action.text("value") ?? "") {
            let word = arguments.first { $0.key == nil || $0.key?.text == "value" }
            throw FaultPlanError(.contradiction(problem), word?.value.place ?? kind.place)
        }
        return FaultRule(
            name: name?.text ?? fallback, condition: condition, action: action, schedule: schedule)
    }

    private static func isName(_ text: String) -> Bool {
        let count = text.unicodeScalars.count
        return count >= 1 && count <= 100
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}

extension ConditionReader {
    /// Whether a text can be read as a filter.
    static func isFilter(_ text: PlacedText) -> Bool {
        (try? Filter.parse(text.text)) != nil
    }
}
