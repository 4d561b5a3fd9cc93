/// A regular expression as a tree.
indirect enum RegexSyntax: Hashable, Sendable {
    /// Matches the empty text.
    case empty
    /// Matches one scalar of a set.
    case scalar(ScalarSet)
    /// Matches one after the other.
    case sequence([RegexSyntax])
    /// Matches one or the other.
    case choice([RegexSyntax])
    /// Matches at least `least` and at most `most` times; without end for nil.
    case repetition(RegexSyntax, least: Int, most: Int?)
    /// Matches the empty text at certain places.
    case assertion(Assertion)

    /// A place in a text.
    enum Assertion: Hashable, Sendable {
        /// The start of the text.
        case start
        /// The end of the text.
        case end
        /// Between a word character and something else.
        case boundary
        /// Not between a word character and something else.
        case noBoundary
    }
}
