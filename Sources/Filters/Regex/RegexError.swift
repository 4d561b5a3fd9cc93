/// A mistake in a regular expression, and where it is.
public struct RegexError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Reason: Hashable, Sendable, CustomStringConvertible {
        /// A group is not closed.
        case unclosedGroup
        /// A parenthesis closes nothing.
        case unopenedGroup
        /// A class in brackets is not closed.
        case unclosedClass
        /// A class in brackets is empty.
        case emptyClass
        /// A range in a class ends before it begins, or one of its ends is itself a class.
        case badRange
        /// A repetition without anything to repeat.
        case nothingToRepeat
        /// A repetition has more than ``LinearRegex/maximumRepetition`` times, or ends before it
        /// begins.
        case badRepetition
        /// A backslash before a character that is not an escape, or at the end.
        case badEscape
        /// The expression needs what cannot run in linear time: looking around, or referring back.
        case unsupported
        /// More than ``LinearRegex/maximumDepth`` groups within each other.
        case tooDeep
        /// The expression comes to more than ``LinearRegex/maximumStates`` states.
        case tooLarge

        /// The reason in words.
        public var description: String {
            switch self {
            case .unclosedGroup: "this group is not closed"
            case .unopenedGroup: "this parenthesis closes no group; write \\) for the character"
            case .unclosedClass: "this class is not closed"
            case .emptyClass: "this class is empty; write \\] for the character"
            case .badRange: "this range ends before it begins"
            case .nothingToRepeat: "there is nothing here to repeat"
            case .badRepetition:
                "a repetition has at most \(LinearRegex.maximumRepetition) times, in order"
            case .badEscape: "this is not an escape"
            case .unsupported: "lookarounds and back-references are not supported"
            case .tooDeep: "more than \(LinearRegex.maximumDepth) nested groups"
            case .tooLarge: "this expression is too large once its repetitions are expanded"
            }
        }
    }

    /// What is wrong.
    public let reason: Reason
    /// Where, in Unicode scalars of the pattern.
    public let range: Range<Int>

    /// The mistake `reason` at `range`.
    public init(_ reason: Reason, _ range: Range<Int>) {
        self.reason = reason
        self.range = range
    }

    /// What is wrong and the number of the scalar, from 0.
    public var description: String { "\(reason), at \(range.lowerBound)" }
}
