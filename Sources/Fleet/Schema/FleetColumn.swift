/// A column of a table of the fleet.
struct FleetColumn: Sendable {
    /// The type of its values, and how RowBinary has them.
    enum Kind: Sendable {
        /// A day, as the number of days since 1970.
        case day
        /// A whole number.
        case number
        /// A whole number or NULL.
        case optionalNumber
        /// Text or bytes.
        case text
        /// Text, bytes or NULL.
        case optionalText
        /// Several texts.
        case texts

        /// The type on the server.
        var sql: String {
            switch self {
            case .day: "Date"
            case .number: "Int64"
            case .optionalNumber: "Nullable(Int64)"
            case .text: "String"
            case .optionalText: "Nullable(String)"
            case .texts: "Array(String)"
            }
        }
    }

    /// The source of its values.
    enum Source: Sendable {
        /// The identity of the recorder.
        case recorder
        /// The day of the row.
        case day
        /// The wall clock of the row.
        case at
        /// The number of the batch.
        case batch
        /// The session.
        case session
        /// Names of the labels of the session.
        case labelNames
        /// Values of the labels of the session.
        case labelValues
        /// An expression over a row `t` of the trace.
        case value(String)
        /// Names of the fields of a head, an expression over a row of the trace, in lower case.
        case fieldNames(String)
        /// Their values, without blanks around them.
        case fieldValues(String)
        /// The value of one field of a head, an expression over a row of the trace.
        case field(name: String, String)
        /// The folded words of an expression over a row of the trace; nil for those of the column
        /// before the last, where the last says that it is text.
        case words(String?)
    }

    let name: String
    let kind: Kind
    let comment: String
    let source: Source

    init(_ name: String, _ kind: Kind, _ comment: String, _ source: Source) {
        self.name = name
        self.kind = kind
        self.comment = comment
        self.source = source
    }

    /// The name as SQL of the server has it.
    var quotedName: String { "`\(name)`" }
}
