/// Something that takes no part in comparing, as a user names it.
///
/// `json:/objects/*/modified`, `xml://case/@date_modified`, `header:X-Request-Id`, `query:nonce`; a
/// bare path applies to JSON and XML. `query:` includes the fields of forms.
public enum IgnoreRule: Hashable, Sendable, CustomStringConvertible {
    /// A value in JSON.
    case json(PathPattern)
    /// An element or attribute in XML.
    case xml(PathPattern)
    /// A path in either.
    case path(PathPattern)
    /// A header field; its name in lower case.
    case header(String)
    /// A field of a query or of a form.
    case query(String)

    /// Reads a rule.
    ///
    /// - Throws: ``IgnoreRuleError``.
    public init(parsing text: String) throws(IgnoreRuleError) {
        if text.hasPrefix("/") {
            guard let pattern = PathPattern(text) else { throw .noPath(text) }
            self = .path(pattern)
            return
        }
        guard let colon = text.firstIndex(of: ":") else { throw .unknownKind(text) }
        let value = String(text[text.index(after: colon)...])
        guard !value.isEmpty else { throw .nothingNamed(text) }
        switch text[..<colon] {
        case "json", "xml":
            guard let pattern = PathPattern(value) else { throw .noPath(value) }
            self = text.hasPrefix("json") ? .json(pattern) : .xml(pattern)
        case "header": self = .header(value.lowercased())
        case "query": self = .query(value)
        default: throw .unknownKind(text)
        }
    }

    /// The rule as text.
    public var description: String {
        switch self {
        case .json(let pattern): "json:\(pattern)"
        case .xml(let pattern): "xml:\(pattern)"
        case .path(let pattern): pattern.description
        case .header(let name): "header:\(name)"
        case .query(let name): "query:\(name)"
        }
    }
}

/// Why a text is no ``IgnoreRule``.
public enum IgnoreRuleError: Error, Hashable, Sendable, CustomStringConvertible {
    /// It begins with none of `json:`, `xml:`, `header:`, `query:` and `/`.
    case unknownKind(String)
    /// Nothing follows the colon.
    case nothingNamed(String)
    /// A path that does not begin with a slash, or has an empty step.
    case noPath(String)

    /// One line with the correction.
    public var description: String {
        switch self {
        case .unknownKind(let text):
            "\"\(text)\" has no kind of value to ignore: write json:/PATH, xml:/PATH, header:NAME, "
                + "query:NAME or /PATH"
        case .nothingNamed(let text): "\"\(text)\" lacks a name after the colon"
        case .noPath(let text): "\"\(text)\" is not a path: write /STEP/STEP, * for any step"
        }
    }
}
