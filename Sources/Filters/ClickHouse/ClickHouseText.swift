/// Values and conditions as ClickHouse's SQL has them.
enum ClickHouseText {
    /// A literal of `text`: in quotation marks, with escapes for what is special there.
    static func literal(_ text: String) -> String {
        var result = String.UnicodeScalarView("'".unicodeScalars)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "'": result.append(contentsOf: "\\'".unicodeScalars)
            case "\\": result.append(contentsOf: "\\\\".unicodeScalars)
            case "\0": result.append(contentsOf: "\\0".unicodeScalars)
            default: result.append(scalar)
            }
        }
        result.append("'")
        return String(result)
    }

    /// `parts` joined by `sign`, in parentheses; several levels, since the server bounds neither width
    /// nor depth alone.
    static func join(_ parts: [String], _ sign: String) -> String {
        parts.count == 1 ? parts[0] : "(" + parts.joined(separator: " \(sign) ") + ")"
    }
}

/// A condition of ClickHouse's SQL that is 1 or 0 for every row, never NULL.
public struct ClickHouseCondition: Hashable, Sendable {
    /// The condition, values included.
    public var text: String

    /// The condition `text`.
    public init(_ text: String) { self.text = text }

    /// Matches no row: the query need not run.
    public static let never = ClickHouseCondition("0")
    /// Holds for every row.
    public static let always = ClickHouseCondition("1")
}
