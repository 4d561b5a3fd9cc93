/// A value that is bound to a `?` of a condition.
public enum SQLValue: Hashable, Sendable {
    /// A whole number.
    case integer(Int64)
    /// Text.
    case text(String)
    /// Bytes.
    case blob([UInt8])
}

/// The expression after `WHERE` that is equivalent to a filter.
///
/// True for the rows that the filter holds for; false or NULL for the others, so it belongs into a
/// `WHERE` and not into a column. Needs the functions of ``FilterFunctions``.
public struct SQLCondition: Hashable, Sendable {
    /// The condition, with a `?` for every argument.
    public var text: String
    /// The arguments in their order.
    public var arguments: [SQLValue]

    /// The condition `text` with `arguments` for its question marks.
    public init(_ text: String, _ arguments: [SQLValue] = []) {
        self.text = text
        self.arguments = arguments
    }

    /// Matches no row: the query need not run.
    public static let never = SQLCondition("0")
    /// Holds for every row.
    public static let always = SQLCondition("1")
}
