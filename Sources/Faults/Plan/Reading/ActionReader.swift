import Filters

/// Makes actions of words, by the catalogue.
struct ActionReader {
    /// The maximum number of values of an argument that may be given repeatedly.
    private static let maximumTexts = 100

    private let kind: ActionKind
    private let specification: ActionSpecification
    private var arguments: [String: FaultAction.Argument] = [:]

    /// Reads an action.
    ///
    /// - Parameters:
    ///   - name: Name of the action, or a status.
    ///   - words: Its arguments.
    /// - Returns: The action.
    /// - Throws: ``FaultPlanError`` at the invalid argument, or at the name where one is missing.
    static func read(
        _ name: PlacedText, _ words: [PlanWord]
    ) throws(FaultPlanError) -> FaultAction {
        if PlanNumbers.integer(name.text) != nil {
            let code = PlanWord(key: nil, value: name, isQuoted: false, hasValue: true)
            return try read(.status, name, [code] + words)
        }
        return try read(try kind(name), name, words)
    }

    /// The action of this name.
    static func kind(_ name: PlacedText) throws(FaultPlanError) -> ActionKind {
        if let kind = ActionKind(rawValue: name.text) { return kind }
        let names = ActionKind.allCases.map(\.rawValue)
        throw FaultPlanError(
            .unknownAction(name.text, nearest: NearestNames.of(name.text, among: names)),
            name.place)
    }

    private static func read(
        _ kind: ActionKind, _ name: PlacedText, _ words: [PlanWord]
    ) throws(FaultPlanError) -> FaultAction {
        var reader = ActionReader(kind)
        for word in words { try reader.take(word) }
        for parameter in reader.specification.parameters
        where parameter.isRequired && reader.arguments[parameter.name] == nil {
            throw FaultPlanError(.missingArgument(parameter.name, of: kind), name.place)
        }
        let excluding = reader.specification.exclusive.filter { reader.arguments[$0] != nil }
        guard excluding.count < 2 else {
            throw FaultPlanError(
                .contradiction("\(excluding[0]) and \(excluding[1]) exclude each other"),
                name.place)
        }
        let action = FaultAction(kind, reader.arguments)
        if let problem = reader.specification.problem(action) {
            throw FaultPlanError(.contradiction(problem), name.place)
        }
        return action
    }

    private init(_ kind: ActionKind) {
        self.kind = kind
        specification = kind.specification
    }

    private mutating func take(_ word: PlanWord) throws(FaultPlanError) {
        let parameter = try parameter(for: word)
        let place = word.key?.place ?? word.value.place
        let value = try Self.argument(parameter, word)
        guard let before = arguments[parameter.name] else {
            arguments[parameter.name] = value
            return
        }
        guard case .texts(let texts) = before, case .texts(let more) = value else {
            throw FaultPlanError(.repeatedKey(parameter.name), place)
        }
        guard texts.count < Self.maximumTexts else {
            throw FaultPlanError(
                .contradiction("\(parameter.name) is given at most \(Self.maximumTexts) times"),
                place)
        }
        arguments[parameter.name] = .texts(texts + more)
    }

    private func parameter(
        for word: PlanWord
    ) throws(FaultPlanError) -> ActionSpecification.Parameter {
        if let key = word.key {
            if let parameter = specification.parameter(key.text) { return parameter }
            let names = specification.parameters.map(\.name) + ScheduleReader.keys + ["name"]
            throw FaultPlanError(
                .unknownArgument(
                    key.text, of: kind, nearest: NearestNames.of(key.text, among: names)),
                key.place)
        }
        let next = specification.parameters.first {
            $0.isPositional && arguments[$0.name] == nil
        }
        let named = word.isQuoted ? nil : specification.parameter(word.value.text)
        if let flag = named, flag.kind == .flag, next?.isRequired != true { return flag }
        if let next { return next }
        throw FaultPlanError(.unexpectedValue(word.value.text, of: kind), word.value.place)
    }

    private static func argument(
        _ parameter: ActionSpecification.Parameter, _ word: PlanWord
    ) throws(FaultPlanError) -> FaultAction.Argument {
        let text = word.value.text
        let argument: FaultAction.Argument?
        switch parameter.kind {
        case .integer: argument = PlanNumbers.integer(text).map { .integer($0) }
        case .size: argument = PlanNumbers.size(text).map { .integer($0) }
        case .duration: argument = PlanNumbers.duration(text).map { .duration($0) }
        case .integerOrText:
            argument = PlanNumbers.integer(text).map { .integer($0) } ?? .text(text)
        case .text: argument = .text(text)
        case .texts: argument = .texts([text])
        case .flag:
            switch text {
            case "true", "yes": argument = .flag(true)
            case "false", "no": argument = .flag(false)
            default: argument = word.key == nil ? .flag(true) : nil
            }
        }
        guard let argument, parameter.accepts(argument) else {
            throw FaultPlanError(
                .notAValue(of: parameter.name, expected: parameter.expectation),
                word.value.text.isEmpty ? word.key?.place ?? word.value.place : word.value.place)
        }
        return argument
    }
}

extension ActionSpecification.Parameter {
    /// Whether the value is among those there are.
    func accepts(_ argument: FaultAction.Argument) -> Bool {
        switch argument {
        case .integer(let number), .duration(let number): range?.contains(number) ?? true
        case .text(let text):
            (values?.contains(text) ?? true) && (name != "progress" || Self.isProgress(text))
                && (name != "reason" || text.utf8.count <= 123)
                && (name != "name" || HeaderShape.isName(text))
                && (name != "value" && name != "type" || HeaderShape.isValue(text))
        case .texts(let texts): name != "header" || texts.allSatisfy(HeaderShape.isField)
        case .flag: true
        }
    }

    /// What values are, in words that follow "is".
    var expectation: String {
        if let values { return values.joined(separator: ", ").replacingLast(", ", " or ") }
        switch kind {
        case .integer: return "a whole number" + bounds { "\($0)" }
        case .size: return "a number of bytes, such as 512 or 10KiB" + bounds { "\($0)" }
        case .duration:
            return "a time with its unit, such as 300ms or 1m30s"
                + bounds(PlanText.written(nanoseconds:))
        case .flag: return "true or false"
        case .integerOrText: return "a whole number or text"
        case .text where name == "progress": return "done/total, such as 10/100"
        case .text where name == "name": return "the name of a header field, such as Retry-After"
        case .text where name == "reason": return "text of at most 123 bytes"
        case .text: return "text without control characters"
        case .texts: return "a header field, such as \"Retry-After: 5\""
        }
    }

    private func bounds(_ written: (Int64) -> String) -> String {
        guard let range else { return "" }
        if range.upperBound == .max { return ", at least \(written(range.lowerBound))" }
        return " in \(written(range.lowerBound))...\(written(range.upperBound))"
    }

    private static func isProgress(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return false }
        return parts.allSatisfy { (PlanNumbers.integer(String($0)) ?? -1) >= 0 }
    }
}

extension String {
    fileprivate func replacingLast(_ text: String, _ other: String) -> String {
        let parts = split(separator: ", ")
        guard let last = parts.last, parts.count > 1 else { return self }
        return parts.dropLast().joined(separator: text) + other + last
    }
}
