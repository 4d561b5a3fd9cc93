import Notation

/// A revision of the Model Context Protocol.
enum AssistantRevision: String, CaseIterable {
    case november2024 = "2024-11-05"
    case march2025 = "2025-03-26"
    case june2025 = "2025-06-18"
    case november2025 = "2025-11-25"
    /// Without `initialize`: each request says which revision it is in.
    case july2026 = "2026-07-28"

    /// Whether each request has its revision.
    var isStateless: Bool { self == .july2026 }

    /// Whether several messages may come in one array.
    var hasBatches: Bool { self == .march2025 }

    /// The latest of those that begin with `initialize`.
    static let latestWithHandshake = AssistantRevision.november2025

    /// The member of `_meta` with the revision of a request.
    static let versionKey = "io.modelcontextprotocol/protocolVersion"
    /// The member of `_meta` with what the client of a request can do.
    static let capabilitiesKey = "io.modelcontextprotocol/clientCapabilities"
    /// The member of `_meta` with who answered.
    static let serverKey = "io.modelcontextprotocol/serverInfo"

    /// All of them, as messages list them.
    static var list: JSONValue { .array(allCases.reversed().map { .string($0.rawValue) }) }

    /// The revision that a request itself names; nil where it names none.
    ///
    /// - Throws: ``AssistantError`` where that is not known, or the request lacks what it needs there.
    static func named(in params: JSONValue) throws(AssistantError) -> AssistantRevision? {
        guard let meta = params["_meta"], let version = meta[versionKey] else { return nil }
        guard let text = version.string else {
            throw AssistantError(.invalidParams, "\(versionKey) is a string")
        }
        guard let revision = AssistantRevision(rawValue: text), revision.isStateless else {
            throw AssistantError(
                .unsupportedVersion, "revision \(text) is not supported for single requests",
                data: .members(("supported", list), ("requested", .string(text))))
        }
        guard case .object? = meta[capabilitiesKey] else {
            throw AssistantError(.invalidParams, "_meta has no \(capabilitiesKey)")
        }
        return revision
    }
}
