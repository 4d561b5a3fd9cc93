public import Notation
import Wire

/// What a change does, as text: one line for each touched path.
///
///     title: "abc" → "abd"
///     tags: replaced by ["a"]
///
/// Long texts are shown around what differs; what needs the base is described as far as possible
/// without it.
public enum ChangeDescription {
    /// The maximum number of lines that are written; a last one has the number of further ones.
    public static let maxLines = 200

    /// What a change of a command does.
    ///
    /// - Parameters:
    ///   - change: A change, from ``SimperiumCommand/parse(_:from:)``.
    ///   - message: The message it was read from.
    ///   - base: The object it applies to; nil where it is unknown.
    /// - Returns: Lines without line feeds; none where the change is empty.
    public static func describe(
        _ change: SimperiumChange<Range<Int>>, in message: [UInt8], base: JSONValue?
    ) -> [String] {
        var lines: [String] = []
        if let error = change.error {
            lines.append("refused: \(error) \(SimperiumErrorCode.detail(error))")
        }
        switch change.operation {
        case .remove?: lines.append("removed")
        case .empty?: lines.append("all objects removed")
        case .other(let text)?: lines.append("unknown operation \(Excerpt.quote(text))")
        case .modify?, nil: break
        }
        if let value = value(change.value, in: message) {
            lines.append(contentsOf: describe(value, base: base))
        }
        if let data = change.data { lines.append("whole object sent, \(data.count) bytes") }
        return lines
    }

    /// What a map of operations does.
    ///
    /// - Parameters:
    ///   - operations: The `v` of a change.
    ///   - base: The object it applies to; nil where it is unknown.
    /// - Returns: Lines without line feeds, at least one.
    public static func describe(_ operations: JSONValue, base: JSONValue?) -> [String] {
        var writer = DescriptionWriter(most: maxLines)
        writer.members(operations, base: base, at: JSONPath())
        return writer.finish()
    }

    private static func value(_ range: Range<Int>?, in message: [UInt8]) -> JSONValue? {
        guard let range, range.upperBound <= message.count else { return nil }
        return (try? JSONDocument.scan(message, in: range)).map { JSONValue($0.root) }
    }
}
