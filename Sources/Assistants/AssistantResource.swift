import Notation

/// A resource, which is read as a tool is called.
struct AssistantResource: Sendable {
    let uri: String
    let name: String
    let about: String

    /// The resource as `resources/list` has it.
    var declaration: JSONValue {
        .members(
            ("uri", .string(uri)), ("name", .string(name)), ("description", .string(about)),
            ("mimeType", .string("text/plain")))
    }

    /// Those that have names of their own.
    static func all(hasTrace: Bool) -> [AssistantResource] {
        let rules = AssistantResource(
            uri: "tapedeck://rules", name: "rules", about: "All rules of the diagnosis.")
        guard hasTrace else { return [rules] }
        return [
            AssistantResource(
                uri: "tapedeck://rows", name: "rows", about: "The rows of the trace, a line each."),
            AssistantResource(
                uri: "tapedeck://findings", name: "findings",
                about: "Which rules were broken, where, and by whom."),
            AssistantResource(
                uri: "tapedeck://state", name: "state",
                about: "What the server and each client held at the end."),
            rules,
        ]
    }

    /// Templates of the others, as `resources/templates/list` has them.
    static func templates(hasTrace: Bool) -> [JSONValue] {
        let rule = template(
            "tapedeck://rules/{rule}", "rule", "A rule of the diagnosis, by its name.")
        guard hasTrace else { return [rule] }
        return [
            template(
                "tapedeck://rows/{row}", "row",
                "A row of the trace: 12 for an exchange, m12 for a message, c12 for a command, k12 for a connection, f12 for a finding."
            ), rule,
        ]
    }

    private static func template(_ uri: String, _ name: String, _ about: String) -> JSONValue {
        .members(
            ("uriTemplate", .string(uri)), ("name", .string(name)), ("description", .string(about)),
            ("mimeType", .string("text/plain")))
    }

    /// The tool and its arguments that read `uri`; nil where there is no such resource.
    static func call(
        for uri: String, hasTrace: Bool
    ) -> (tool: String, arguments: JSONValue)? {
        let scheme = "tapedeck://"
        guard uri.hasPrefix(scheme) else { return nil }
        let parts = uri.dropFirst(scheme.count).split(
            separator: "/", omittingEmptySubsequences: false)
        guard let first = parts.first, parts.count <= 2 else { return nil }
        var value: String?
        if parts.count == 2 {
            value = String(decoding: PercentEncoding.decode(parts[1].utf8), as: UTF8.self)
            guard value?.isEmpty == false else { return nil }
        }
        switch (first, value) {
        case ("rules", nil): return ("explain_rule", .members())
        case ("rules", let rule?): return ("explain_rule", .members(("rule", .string(rule))))
        case ("rows", nil) where hasTrace: return ("list", .members())
        case ("rows", let row?) where hasTrace:
            return ("show", .members(("row", .string(row))))
        case ("findings", nil) where hasTrace: return ("diagnose", .members())
        case ("state", nil) where hasTrace: return ("state", .members())
        default: return nil
        }
    }
}
