import Notation

/// A tool: its name, what it takes, and the work that a call means.
struct AssistantTool: Sendable {
    /// A parameter.
    struct Parameter: Sendable {
        /// What values it takes.
        enum Kind: Sendable {
            case text
            /// One of these texts.
            case choice([String])
            case number(ClosedRange<Int64>)
            case flag
            case texts
        }

        let name: String
        let kind: Kind
        let about: String
        var isRequired = false
    }

    let name: String
    let title: String
    let about: String
    var parameters: [Parameter]
    /// Whether its text is from the trace, and so from anybody.
    var isRecorded = true
    /// What has to be allowed; nil for what only reads.
    var permission: AssistantPermission?
    /// The work of a call.
    let work: @Sendable (ToolArguments) throws(ToolMistake) -> AssistantWork.Action

    /// Where the text of the answer continues.
    static let cursor = Parameter(
        name: "cursor", kind: .text,
        about: "Where to continue: the cursor of the answer before, with the same other arguments.")

    /// The tool as `tools/list` has it.
    var declaration: JSONValue {
        var properties: [JSONObject.Member] = []
        for parameter in parameters { properties.append(.init(parameter.name, parameter.schema)) }
        let required = parameters.filter(\.isRequired).map { JSONValue.string($0.name) }
        let isReading = permission == nil
        return .members(
            ("name", .string(name)), ("title", .string(title)), ("description", .string(about)),
            (
                "inputSchema",
                .members(
                    ("type", .string("object")), ("properties", .object(JSONObject(properties))),
                    ("required", .array(required)), ("additionalProperties", .bool(false)))
            ),
            (
                "annotations",
                .members(
                    ("readOnlyHint", .bool(isReading)), ("destructiveHint", .bool(!isReading)),
                    ("openWorldHint", .bool(!isReading)))
            ))
    }
}

extension AssistantTool.Parameter {
    /// Its JSON schema.
    var schema: JSONValue {
        let type: [(String, JSONValue)] =
            switch kind {
            case .text: [("type", .string("string"))]
            case .choice(let values):
                [("type", .string("string")), ("enum", .array(values.map { .string($0) }))]
            case .number(let range):
                [
                    ("type", .string("integer")), ("minimum", .number("\(range.lowerBound)")),
                    ("maximum", .number("\(range.upperBound)")),
                ]
            case .flag: [("type", .string("boolean"))]
            case .texts:
                [("type", .string("array")), ("items", .members(("type", .string("string"))))]
            }
        return .object(
            JSONObject(
                (type + [("description", .string(about))]).map { JSONObject.Member($0.0, $0.1) }))
    }
}

/// What is wrong with the arguments of a call.
struct ToolMistake: Error, Hashable {
    /// What, and what to do.
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// The arguments of a call, which fit the parameters of its tool.
struct ToolArguments {
    private let values: [String: JSONValue]

    /// The members of `value`, where each is a parameter of the tool and fits it.
    init(_ value: JSONValue?, of tool: AssistantTool) throws(ToolMistake) {
        var values: [String: JSONValue] = [:]
        switch value {
        case nil, .null: break
        case .object(let object):
            for member in object.members {
                let name = member.key.string
                guard let parameter = tool.parameters.first(where: { $0.name == name }) else {
                    let names = tool.parameters.map(\.name).joined(separator: ", ")
                    throw ToolMistake("\(tool.name) takes no \(name), only \(names)")
                }
                if case .null = member.value { continue }
                guard let mistake = parameter.mistake(in: member.value) else {
                    values[name] = member.value
                    continue
                }
                throw ToolMistake("\(name) \(mistake)")
            }
        default: throw ToolMistake("arguments is an object")
        }
        for parameter in tool.parameters where parameter.isRequired && values[parameter.name] == nil
        {
            throw ToolMistake("\(tool.name) needs \(parameter.name)")
        }
        self.values = values
    }

    /// A text; nil where it was not given.
    func text(_ name: String) -> String? { values[name]?.string }

    /// Whether a flag is set.
    func flag(_ name: String) -> Bool { values[name] == .bool(true) }

    /// The digits of a number; nil where it was not given.
    func number(_ name: String) -> String? {
        guard case .number(let digits)? = values[name] else { return nil }
        return digits
    }

    /// A list of texts, empty where it was not given.
    func texts(_ name: String) -> [String] {
        guard case .array(let elements)? = values[name] else { return [] }
        return elements.compactMap(\.string)
    }
}

extension AssistantTool.Parameter {
    /// What is wrong with a value; nil where it fits.
    fileprivate func mistake(in value: JSONValue) -> String? {
        switch (kind, value) {
        case (.text, .string(let text)):
            text.unicodeScalars.contains("\0") ? "has a NUL character" : nil
        case (.text, _): "is a string"
        case (.choice(let values), .string(let text)) where values.contains(text): nil
        case (.choice(let values), _): "is one of \(values.joined(separator: ", "))"
        case (.number(let range), .number(let digits))
        where Int64(digits).map(range.contains) == true:
            nil
        case (.number(let range), _): "is a number in \(range.lowerBound)...\(range.upperBound)"
        case (.flag, .bool): nil
        case (.flag, _): "is true or false"
        case (.texts, .array(let elements)) where elements.allSatisfy({ $0.isPlainText }): nil
        case (.texts, _): "is a list of strings"
        }
    }
}

extension JSONValue {
    fileprivate var isPlainText: Bool {
        string.map { !$0.unicodeScalars.contains("\0") } ?? false
    }

    /// An object with these members.
    static func members(_ members: (String, JSONValue)...) -> JSONValue {
        .object(JSONObject(members.map { JSONObject.Member($0.0, $0.1) }))
    }
}
