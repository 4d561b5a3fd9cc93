/// A mistake in the text of a filter, and where it is.
public struct FilterError: Error, Hashable, Sendable {
    /// Longest text of a filter, in Unicode scalars.
    public static let maximumLength = 16_384
    /// The maximum depth of nested parentheses and negations.
    public static let maximumDepth = 100
    /// The maximum number of comparisons in a filter; every element of a set is one.
    public static let maximumComparisons = 1_000

    /// The kind of error.
    public enum Reason: Hashable, Sendable {
        /// The text is longer than ``FilterError/maximumLength``.
        case tooLong
        /// More than ``FilterError/maximumDepth`` parentheses and negations within each other.
        case tooDeep
        /// More than ``FilterError/maximumComparisons`` comparisons.
        case tooManyComparisons
        /// No field has this name; `nearest` are names like it, best first, at most three.
        case unknownField(String, nearest: [String])
        /// `header` without the name of one.
        case missingHeaderName(Field)
        /// Nothing follows this operator, `not`, `and`, `or` or parenthesis.
        case missingOperand(after: String)
        /// An operand is missing before this `and` or `or`.
        case missingOperandBefore(String)
        /// No value follows the operator.
        case missingValue(of: String)
        /// This character is not allowed here.
        case unexpected(Unicode.Scalar)
        /// What precedes needs to be quoted or a space is missing.
        case missingSpace(before: Unicode.Scalar)
        /// A comma is missing between the elements of a set.
        case missingSeparator(before: Unicode.Scalar)
        /// No regular expression follows `=~`.
        case missingRegex
        /// The parenthesis is not closed.
        case unclosedParenthesis
        /// The set is not closed.
        case unclosedSet
        /// The quotation is not closed.
        case unclosedQuotation
        /// The regular expression is not closed.
        case unclosedRegex
        /// Only `\"`, `\\`, `\n`, `\r` and `\t` are escapes in quotation marks.
        case unknownEscape(Unicode.Scalar)
        /// Only `i` can follow a regular expression.
        case unknownFlag(Unicode.Scalar)
        /// The regular expression is invalid.
        case regex(RegexError.Reason)
        /// Values of this field are not written like that.
        case notAValue(Field)
        /// The value is larger than can be stored.
        case outOfRange
        /// This is neither a day nor a time of the wall clock.
        case notAWallClock
        /// One end of the range has a day or an offset that the other lacks.
        case mixedWallClocks
        /// Times of the wall clock are known in a trace alone.
        case wallClockInLiveTraffic
        /// An operator of mitmproxy's filters; `instead` is what is written here.
        case mitmproxyOperator(String, instead: String)
        /// The range ends before it begins.
        case emptyRange
        /// This operator does not go with this field.
        case operatorNotFor(Field, String)
        /// Nothing to search for: no letter and no digit.
        case noWords
        /// In words a star is allowed only at the end.
        case starWithinWords
        /// The field is unknown at this phase of live traffic.
        case notKnown(field: Field, phase: FilterPhase)
    }

    /// What is wrong.
    public let reason: Reason
    /// Where, in Unicode scalars of the text; empty at its end where something is missing there.
    public let range: Range<Int>

    /// The mistake `reason` at `range`.
    public init(_ reason: Reason, _ range: Range<Int>) {
        self.reason = reason
        self.range = range
    }
}
