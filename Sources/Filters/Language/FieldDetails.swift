/// The catalogue entry of a field of the filter language.
public struct FieldDetails: Hashable, Sendable {
    /// What the values of a field are, which decides how they are written and compared.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Text, compared as a whole.
        case text
        /// A whole number.
        case integer
        /// A time span, nanoseconds in the trace.
        case duration
        /// A number of bytes.
        case size
        /// True or false, 1 or 0 in the trace.
        case boolean
        /// Long text or binary content, searched in rather than compared.
        case body
        /// The words of the content.
        case words
    }

    /// What its values are.
    public let kind: Kind
    /// What it exists for; at least one, others than these never have a value.
    public let subjects: [FilterSubject]
    /// The phase from which it is known of an exchange in live traffic; nil where exchanges do not
    /// have it.
    ///
    /// Commands and messages are evaluated when they are complete: all of their fields are known.
    public let since: FilterPhase?
    /// Whether upper and lower case ASCII letters are the same in comparisons of whole values.
    public let ignoresCase: Bool
    /// All values there are, in lower case; nil where that is open.
    public let values: [String]?
    /// What it is, in one sentence.
    public let sentence: String

    /// The details of one field.
    init(
        _ kind: Kind, _ subjects: [FilterSubject], since: FilterPhase? = nil,
        ignoresCase: Bool = false, values: [String]? = nil, _ sentence: String
    ) {
        self.kind = kind
        self.subjects = subjects
        self.since = since
        self.ignoresCase = ignoresCase
        self.values = values
        self.sentence = sentence
    }
}
