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
    /// Matches the same as what is in it: a group with this number, from 1.
    case group(RegexSyntax, Int)
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

extension RegexSyntax {
    /// The most bytes that a match has; nil where there is no most.
    var longestMatch: Int? {
        switch self {
        case .empty, .assertion: return 0
        case .scalar: return 4
        case .group(let inner, _): return inner.longestMatch
        case .sequence(let items):
            var sum = 0
            for item in items {
                guard let most = item.longestMatch else { return nil }
                let (more, isFar) = sum.addingReportingOverflow(most)
                guard !isFar else { return nil }
                sum = more
            }
            return sum
        case .choice(let branches):
            var most = 0
            for branch in branches {
                guard let one = branch.longestMatch else { return nil }
                most = max(most, one)
            }
            return most
        case .repetition(let item, _, let times):
            guard let most = item.longestMatch else { return nil }
            guard most > 0 else { return 0 }
            guard let times else { return nil }
            let (product, isFar) = most.multipliedReportingOverflow(by: times)
            return isFar ? nil : product
        }
    }
}
