/// The expression of a filter, as a tree.
public indirect enum FilterNode: Hashable, Sendable {
    /// Holds for everything.
    case always
    /// Holds where all of them do; at least two.
    case and([FilterNode])
    /// Holds where one of them does; at least two.
    case or([FilterNode])
    /// Holds where the other does not.
    case not(FilterNode)
    /// A test of one field.
    case comparison(FilterComparison)
}

/// The test of a filter on one field.
///
/// Holds where the field has a value that passes; where it has several, one is enough, and where
/// it has none, nothing passes.
public struct FilterComparison: Hashable, Sendable {
    /// The field.
    public let field: Field
    /// Name of the header in lower case, where the field is a family; else nil.
    public let name: String?
    /// What a value has to pass.
    public let test: FilterTest
    /// The field's details, cached for every event that is evaluated.
    let isForExchanges: Bool
    let isForCommands: Bool
    let isForMessages: Bool
    let ignoresCase: Bool
    let globIgnoresCase: Bool

    /// The question whether a value of `field` passes `test`.
    public init(_ field: Field, name: String? = nil, _ test: FilterTest) {
        self.field = field
        self.name = name
        self.test = test
        let details = field.details
        isForExchanges = details.subjects.contains(.exchange)
        isForCommands = details.subjects.contains(.command)
        isForMessages = details.subjects.contains(.message)
        ignoresCase = details.ignoresCase
        globIgnoresCase = details.ignoresCase || details.kind == .body
    }

    /// Whether things of this kind can have a value.
    package func isFor(_ subject: FilterSubject) -> Bool {
        switch subject {
        case .exchange: isForExchanges
        case .command: isForCommands
        case .message: isForMessages
        }
    }
}

/// What a value has to pass.
public enum FilterTest: Hashable, Sendable {
    /// Passed by every value.
    case exists
    /// Passed by whole numbers in a range; nanoseconds for durations, bytes for sizes.
    case range(ClosedRange<Int64>)
    /// Passed by moments of a trace that are at these times of the wall clock.
    case clock(WallClock)
    /// Passed by one text, by the case rule of the field.
    case equal(String)
    /// Passed by texts of a shape, by the case rule of the field; in bodies always without case.
    case glob(Glob)
    /// Passed by texts that contain this one, given with ASCII letters in lower case.
    case contains(String)
    /// Passed by texts in which the expression is found.
    case regex(LinearRegex)
    /// Passed by texts with these words.
    case words(WordQuery)
}
