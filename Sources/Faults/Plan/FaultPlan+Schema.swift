import Notation
import Wire

extension FaultPlan {
    /// The JSON schema of plans (draft 2020-12), for editors; made of the catalogue of actions.
    public static var schema: String {
        PlanSchema.lines(PlanSchema.root, indentation: "") + "\n"
    }
}

/// The JSON schema of plans.
enum PlanSchema {
    /// All of it.
    static var root: JSONValue {
        object([
            ("$schema", text("https://json-schema.org/draft/2020-12/schema")),
            ("title", text("Tapedeck fault plan")),
            ("description", text("Rules that inject faults into traffic; see Faults.md.")),
            ("type", text("object")),
            ("additionalProperties", .bool(false)),
            (
                "properties",
                object([
                    (
                        "seed",
                        object([
                            ("description", text("Random seed.")),
                            ("type", text("integer")), ("minimum", .number("0")),
                            ("maximum", .number("\(UInt64.max)")),
                        ])
                    ),
                    (
                        "rules",
                        object([
                            ("description", text("Evaluated in this order.")),
                            ("type", .array([text("array"), text("null")])),
                            ("maxItems", .number("\(FaultPlan.maximumRules)")),
                            ("items", reference("rule")),
                        ])
                    ),
                ])
            ),
            (
                "$defs",
                object([
                    ("rule", rule), ("action", action), ("schedule", schedule),
                    ("duration", pattern("^(0|([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|min|h|d))+)$")),
                    (
                        "size",
                        anyOf([
                            object([("type", text("integer")), ("minimum", .number("0"))]),
                            pattern("^[0-9]+(\\.[0-9]+)?([kKMG]i?B|B)?$"),
                        ])
                    ),
                    (
                        "integer",
                        anyOf([object([("type", text("integer"))]), pattern("^-?[0-9]+$")])
                    ),
                ])
            ),
        ])
    }

    private static var rule: JSONValue {
        anyOf([
            object([
                ("description", text("FILTER => ACTION key=value ...")), ("type", text("string")),
                ("pattern", text("(^|\\s)=>")),
            ]),
            object([
                ("type", text("object")), ("additionalProperties", .bool(false)),
                ("required", .array([text("filter"), text("action")])),
                (
                    "properties",
                    object([
                        (
                            "name",
                            object([
                                ("type", .array([text("string"), text("null")])),
                                ("minLength", .number("1")),
                                ("maxLength", .number("100")),
                            ])
                        ),
                        (
                            "filter",
                            object([
                                ("description", text("What is hit, in the filter language.")),
                                ("type", .array([text("string"), text("null")])),
                            ])
                        ),
                        ("action", reference("action")), ("schedule", reference("schedule")),
                    ])
                ),
            ]),
        ])
    }

    private static var action: JSONValue {
        let kinds = ActionKind.allCases.map { kind in
            let specification = kind.specification
            var properties = [("kind", object([("const", text(kind.rawValue))]))]
            properties += specification.parameters.map { ($0.name, schema($0)) }
            let required =
                [text("kind")]
                + specification.parameters.filter(\.isRequired).map { text($0.name) }
            return object([
                ("description", text(specification.sentence)), ("type", text("object")),
                ("additionalProperties", .bool(false)), ("required", .array(required)),
                ("properties", object(properties)),
            ])
        }
        let names = ActionKind.allCases.map(\.rawValue).joined(separator: "|")
        return anyOf(
            [
                object([
                    ("description", text("A status.")), ("type", text("integer")),
                    ("minimum", .number("100")), ("maximum", .number("999")),
                ]),
                object([
                    ("description", text("An action and its arguments as in the one-line form.")),
                    ("type", text("string")), ("pattern", text("^\\s*([0-9]{3}|\(names))(\\s|$)")),
                ]),
            ] + kinds)
    }

    private static func schema(_ parameter: ActionSpecification.Parameter) -> JSONValue {
        var members = [("description", text(parameter.sentence))]
        switch parameter.kind {
        case .integer:
            guard let range = parameter.range else {
                members.append(("$ref", text("#/$defs/integer")))
                break
            }
            members.append(
                (
                    "anyOf",
                    .array([
                        object([
                            ("type", text("integer")), ("minimum", .number("\(range.lowerBound)")),
                            ("maximum", .number("\(range.upperBound)")),
                        ]), pattern("^-?[0-9]+$"),
                    ])
                ))
        case .size: members.append(("$ref", text("#/$defs/size")))
        case .duration: members.append(("$ref", text("#/$defs/duration")))
        case .flag: members.append(("enum", flags))
        case .integerOrText:
            members.append(("type", .array([text("integer"), text("string")])))
        case .text:
            if let values = parameter.values {
                members.append(("enum", .array(values.map(text))))
            } else {
                members.append(("type", .array(["string", "number", "boolean"].map(text))))
            }
        case .texts:
            members.append(("type", .array([text("string"), text("array")])))
            members.append(("items", object([("type", text("string"))])))
        }
        return object(members)
    }

    private static var flags: JSONValue {
        .array([.bool(true), .bool(false)] + ["yes", "no"].map(text))
    }

    private static var schedule: JSONValue {
        let count = object([
            (
                "anyOf",
                .array([
                    object([("type", text("integer")), ("minimum", .number("1"))]),
                    pattern("^[0-9]+$"),
                ])
            )
        ])
        let mark = object([("type", text("string")), ("minLength", .number("1"))])
        let properties = ScheduleReader.keys.map { key -> (String, JSONValue) in
            switch key {
            case "first", "every": return (key, count)
            case "nth":
                let list = object([("type", text("array")), ("items", reference("integer"))])
                return (key, anyOf([count, pattern("^[0-9]+( *, *[0-9]+)*$"), list]))
            case "probability":
                let number = object([
                    ("type", text("number")), ("exclusiveMinimum", .number("0")),
                    ("maximum", .number("1")),
                ])
                return (key, anyOf([number, pattern("^[0-9.]+%?$")]))
            case "after-mark", "before-mark": return (key, mark)
            case "until": return (key, object([("type", text("string"))]))
            case "per":
                let values = FaultSchedule.Extent.allCases.map { text($0.rawValue) }
                return (key, object([("enum", .array(values))]))
            default: return (key, reference("duration"))
            }
        }
        return anyOf([
            object([
                ("description", text("always, or conditions as in the one-line form.")),
                ("type", .array([text("string"), text("null")])),
            ]),
            object([
                ("type", text("object")), ("additionalProperties", .bool(false)),
                ("properties", object(properties)),
            ]),
        ])
    }

    private static func object(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(JSONObject(members.map { JSONObject.Member($0.0, $0.1) }))
    }

    private static func text(_ text: String) -> JSONValue { .string(text) }

    private static func anyOf(_ values: [JSONValue]) -> JSONValue {
        object([("anyOf", .array(values))])
    }

    private static func pattern(_ pattern: String) -> JSONValue {
        object([("type", text("string")), ("pattern", text(pattern))])
    }

    private static func reference(_ name: String) -> JSONValue {
        object([("$ref", text("#/$defs/\(name)"))])
    }

    /// `value` over several lines, apart from what is short.
    static func lines(_ value: JSONValue, indentation: String) -> String {
        let short = value.text(.python)
        if short.utf8.count + indentation.utf8.count <= 90 { return short }
        let deeper = indentation + "  "
        let parts: [String]
        let marks: (String, String)
        switch value {
        case .array(let values):
            parts = values.map { lines($0, indentation: deeper) }
            marks = ("[", "]")
        case .object(let object):
            parts = object.members.map {
                let key = JSONValue.string($0.key.string).text(.python)
                return "\(key): " + lines($0.value, indentation: deeper)
            }
            marks = ("{", "}")
        default: return short
        }
        let inner = parts.map { deeper + $0 }.joined(separator: ",\n")
        return "\(marks.0)\n\(inner)\n\(indentation)\(marks.1)"
    }
}
