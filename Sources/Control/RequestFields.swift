import Notation
import Serving
import Wire

/// The members of a JSON object that a request carries.
struct RequestFields {
    private let object: JSONObject

    /// Reads an object that has no members but those.
    init(_ bytes: [UInt8], allowed: [String]) throws(ServedProblem) {
        guard case .object(let object) = try Self.value(bytes) else {
            throw ServedProblem(
                400, "bad-json", "the body has to be a JSON object",
                hint: "send an object with \(allowed.joined(separator: ", "))")
        }
        for member in object.members where !allowed.contains(member.key.string) {
            throw ServedProblem(
                400, "unknown-field", "there is no \"\(member.key.string)\" here",
                hint: "send an object with \(allowed.joined(separator: ", "))")
        }
        self.object = object
    }

    /// The JSON value in a body.
    static func value(_ bytes: [UInt8]) throws(ServedProblem) -> JSONValue {
        do throws(JSONError) {
            let limits = JSONLimits(depth: 32, values: 100_000)
            return JSONValue(try JSONDocument.scan(bytes, limits: limits).root)
        } catch {
            throw ServedProblem(error, in: bytes)
        }
    }

    /// A required text.
    func text(_ name: String) throws(ServedProblem) -> String {
        guard let text = object[name]?.string else {
            throw ServedProblem(
                400, "missing-field", "\"\(name)\" is required and has to be text",
                hint: "send an object with \"\(name)\"")
        }
        return text
    }

    /// A text; nil where it is not there, or null.
    func optionalText(_ name: String) throws(ServedProblem) -> String? {
        switch object[name] {
        case nil, .null: return nil
        default: return try text(name)
        }
    }

    /// A whole number from 1 on; nil where it is not there, or null.
    func number(_ name: String) throws(ServedProblem) -> Int64? {
        switch object[name] {
        case nil, .null: return nil
        case .number(let text):
            if let number = Int64(text), number > 0 { return number }
            fallthrough
        default:
            throw ServedProblem(
                400, "bad-field", "\"\(name)\" is a whole number from 1 on",
                hint: "GET /v1/connections lists the numbers there are")
        }
    }
}
