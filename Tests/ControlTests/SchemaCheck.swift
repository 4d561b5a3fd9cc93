import Notation
import Wire

@testable import Control

/// The part of JSON Schema 2020-12 that `openapi.json` uses.
enum SchemaCheck {
    /// What a reference within the description stands for.
    static func resolved(_ value: JSONValue) -> JSONValue {
        guard let reference = value["$ref"]?.string else { return value }
        let parts = reference.dropFirst(2).split(separator: "/")
        return parts.reduce(OpenAPI.document) { $0[String($1)] ?? .null }
    }

    /// The contents of a request or an answer, JSON alone.
    static func contents(_ value: JSONValue?) -> [JSONValue] {
        members(value?["content"]).filter { $0.key.string == "application/json" }.map(\.value)
    }

    /// The examples of a content.
    static func examples(_ content: JSONValue) -> [JSONValue] {
        if let example = content["example"] { return [example] }
        return members(content["examples"]).compactMap { $0.value["value"] }
    }

    /// The members of an object; none where it is none.
    static func members(_ value: JSONValue?) -> [JSONObject.Member] {
        if case .object(let object) = value { object.members } else { [] }
    }

    private static let known: Set<String> = [
        "$ref", "type", "description", "enum", "minimum", "minLength", "maxLength", "pattern",
        "items", "properties", "required", "additionalProperties", "oneOf",
    ]

    /// Why a value does not fit a schema; nil where it fits.
    static func complaint(
        _ value: JSONValue, _ schema: JSONValue, at place: String = "$"
    )
        -> String?
    {
        let schema = resolved(schema)
        for member in members(schema) where !known.contains(member.key.string) {
            return "\(place): this check does not know \(member.key.string)"
        }
        if let types = schema["type"], !texts(types).contains(where: { fits(value, $0) }) {
            return "\(place): \(value.text()) is no \(types.text())"
        }
        if case .array(let values) = schema["enum"], !values.contains(value) {
            return "\(place): \(value.text()) is none of \(values)"
        }
        if case .array(let schemas) = schema["oneOf"] {
            let complaints = schemas.map { complaint(value, $0, at: place) }
            guard complaints.count(where: { $0 == nil }) == 1 else {
                return "\(place): oneOf: \(complaints)"
            }
        }
        switch value {
        case .string(let text): return complaint(text, schema, place)
        case .number(let text):
            guard let least = number(schema["minimum"]), (Int(text) ?? 0) < least else {
                return nil
            }
            return "\(place): \(text) is below \(least)"
        case .array(let elements):
            guard let items = schema["items"] else { return nil }
            for (index, element) in elements.enumerated() {
                if let complaint = complaint(element, items, at: "\(place)[\(index)]") {
                    return complaint
                }
            }
            return nil
        case .object(let object): return complaint(object, schema, place)
        default: return nil
        }
    }

    private static func complaint(
        _ text: String, _ schema: JSONValue, _ place: String
    ) -> String? {
        let count = text.unicodeScalars.count
        if let least = number(schema["minLength"]), count < least { return "\(place): too short" }
        if let most = number(schema["maxLength"]), count > most { return "\(place): too long" }
        if let pattern = schema["pattern"]?.string {
            guard pattern == "^[0-9]+$" else { return "\(place): unknown pattern \(pattern)" }
            if text.wholeMatch(of: /[0-9]+/) == nil { return "\(place): \(text) has no digits" }
        }
        return nil
    }

    private static func complaint(
        _ object: JSONObject, _ schema: JSONValue, _ place: String
    ) -> String? {
        for name in texts(schema["required"] ?? .array([])) where object[name] == nil {
            return "\(place): \(name) is missing"
        }
        for member in object.members {
            let name = member.key.string
            if let property = schema["properties"]?[name] {
                if let complaint = complaint(member.value, property, at: "\(place).\(name)") {
                    return complaint
                }
            } else if schema["additionalProperties"] == .bool(false) {
                return "\(place): \(name) is not described"
            } else if let others = schema["additionalProperties"] {
                if let complaint = complaint(member.value, others, at: "\(place).\(name)") {
                    return complaint
                }
            }
        }
        return nil
    }

    private static func number(_ value: JSONValue?) -> Int? {
        if case .number(let text) = value { Int(text) } else { nil }
    }

    private static func texts(_ value: JSONValue) -> [String] {
        if case .array(let values) = value { return values.compactMap(\.string) }
        return value.string.map { [$0] } ?? []
    }

    private static func fits(_ value: JSONValue, _ type: String) -> Bool {
        switch value {
        case .null: type == "null"
        case .bool: type == "boolean"
        case .number(let text): type == "number" || type == "integer" && Int(text) != nil
        case .string: type == "string"
        case .array: type == "array"
        case .object: type == "object"
        }
    }
}
