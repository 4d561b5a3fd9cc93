internal import Control
internal import Notation
internal import Serving

/// The description of the API, OpenAPI 3.1: that of the inspector, and below each trace that of the control
/// interface.
enum InspectionDescription {
    /// That of the inspector alone, as in the repository.
    static let own =
        (try? JSONValue(
            parsing: String(decoding: PackageResources.openapi_json, as: UTF8.self))) ?? .null

    /// Where the control interface of a trace is.
    static let control = "/v1/traces/{trace}/control"

    /// All of it.
    static let document: JSONValue = {
        let paths = own["paths"].members + OpenAPI.document["paths"].members.map(underTrace)
        let components = own["components"].members.map { member -> JSONObject.Member in
            let more = OpenAPI.document["components"]?[member.key.string].members
            guard member.key.string == "schemas" else { return member }
            return JSONObject.Member(
                "schemas", .object(JSONObject(member.value.members + (more ?? []))))
        }
        let responses = OpenAPI.document["components"]?["responses"] ?? .null
        return .object(
            JSONObject(
                own.members.map { member in
                    switch member.key.string {
                    case "paths": .init("paths", .object(JSONObject(paths)))
                    case "components":
                        .init(
                            "components",
                            .object(JSONObject(components + [.init("responses", responses)])))
                    default: member
                    }
                }))
    }()

    /// What is answered where no recording is.
    private static let noRecording = JSONObject.Member(
        "503", .object([("description", .string("No recording of the trace answers."))]))

    /// A path of the control interface as one of the inspector.
    private static func underTrace(_ path: JSONObject.Member) -> JSONObject.Member {
        let trace: JSONValue = .object([
            ("name", .string("trace")), ("in", .string("path")), ("required", .bool(true)),
            ("description", .string("Number of the trace, from 1.")),
            ("schema", .object([("type", .string("integer"))])),
        ])
        var parameters = [trace]
        if case .array(let more)? = path.value["parameters"] { parameters += more }
        let others = path.value.members.filter { $0.key.string != "parameters" }.map { method in
            let members = method.value.members.map { member in
                member.key.string == "responses"
                    ? .init("responses", .object(JSONObject(member.value.members + [noRecording])))
                    : member
            }
            return JSONObject.Member(method.key.string, .object(JSONObject(members)))
        }
        return .init(
            control + path.key.string,
            .object(JSONObject([.init("parameters", .array(parameters))] + others)))
    }
}

extension JSONValue {
    /// The members of an object; none of anything else.
    fileprivate var members: [JSONObject.Member] {
        guard case .object(let object) = self else { return [] }
        return object.members
    }
}

extension JSONValue? {
    /// The members of an object; none of anything else.
    fileprivate var members: [JSONObject.Member] { self?.members ?? [] }
}
