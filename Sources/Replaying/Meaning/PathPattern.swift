/// A path into a document, with `*` for any one step.
///
/// `/meta/timeEnd` begins at the root; `//meta/timeEnd` matches anywhere. Steps of XML are local
/// names, the last may be `@attribute`; steps of JSON are keys and indexes, escaped as in a JSON
/// pointer (RFC 6901).
public struct PathPattern: Hashable, Sendable, CustomStringConvertible {
    /// Whether the path begins at the root.
    public let isAnchored: Bool
    /// The steps, at least one; nil for any.
    public let steps: [String?]

    /// The pattern that `text` spells; nil where it does not begin with a slash or has no step.
    public init?(_ text: String) {
        guard text.hasPrefix("/") else { return nil }
        isAnchored = !text.hasPrefix("//")
        let rest = text.dropFirst(isAnchored ? 1 : 2)
        steps = rest.split(separator: "/", omittingEmptySubsequences: false).map {
            $0 == "*" ? nil : Self.unescaped($0)
        }
        if steps.contains("") { return nil }
    }

    /// Whether it names the place that these steps lead to.
    public func matches(_ path: [String]) -> Bool {
        guard isAnchored ? path.count == steps.count : path.count >= steps.count else {
            return false
        }
        return zip(steps, path.suffix(steps.count)).allSatisfy { $0 == nil || $0 == $1 }
    }

    /// The pattern as text.
    public var description: String {
        (isAnchored ? "/" : "//") + steps.map { $0.map(Self.escaped) ?? "*" }.joined(separator: "/")
    }

    /// One step as written in a JSON pointer.
    static func escaped(_ step: String) -> String {
        guard step.utf8.contains(where: { $0 == 0x7E || $0 == 0x2F }) else { return step }
        var output = ""
        for scalar in step.unicodeScalars {
            switch scalar {
            case "~": output += "~0"
            case "/": output += "~1"
            default: output.unicodeScalars.append(scalar)
            }
        }
        return output
    }

    private static func unescaped(_ step: Substring) -> String {
        var output = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in step.unicodeScalars {
            if isEscaped {
                isEscaped = false
                if scalar == "0" || scalar == "1" {
                    output.append(scalar == "0" ? "~" : "/")
                    continue
                }
                output.append("~")
            }
            if scalar == "~" { isEscaped = true } else { output.append(scalar) }
        }
        if isEscaped { output.append("~") }
        return String(output)
    }
}

/// Patterns, found by their last step.
struct PathPatterns: Hashable, Sendable {
    private var byName: [String: [PathPattern]] = [:]
    private var anyName: [PathPattern] = []

    init(_ patterns: [PathPattern] = []) {
        for pattern in patterns { insert(pattern) }
    }

    var isEmpty: Bool { byName.isEmpty && anyName.isEmpty }

    mutating func insert(_ pattern: PathPattern) {
        if let name = pattern.steps.last ?? nil {
            byName[name, default: []].append(pattern)
        } else {
            anyName.append(pattern)
        }
    }

    func matches(_ path: [String]) -> Bool {
        if let name = path.last, let patterns = byName[name],
            patterns.contains(where: { $0.matches(path) })
        {
            return true
        }
        return anyName.contains { $0.matches(path) }
    }
}
