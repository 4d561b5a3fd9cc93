public import Notation
import Wire

/// Which operations a ``JSONDiff`` uses where there is a choice.
///
/// The suitable policy depends on what the data of an application mean: a list may be a value or a
/// collection, a number a value or a count. The reference calls this `otype` and nests it by key,
/// too.
public struct DiffPolicy: Hashable, Sendable {
    /// What is done about arrays.
    public enum Lists: Hashable, Sendable, CaseIterable {
        /// The array is replaced as a whole, `r`.
        case replace
        /// Elements are changed one by one, `L`.
        case list
        /// Lines of its text are changed, `dL`.
        case listText
    }

    /// What is done about whole numbers.
    public enum Integers: Hashable, Sendable, CaseIterable {
        /// The number is replaced, `r`.
        case replace
        /// The difference is added, `I`.
        case increment
    }

    /// What is done about strings.
    public enum Strings: Hashable, Sendable, CaseIterable {
        /// The text is changed, `d`.
        case delta
        /// The text is replaced as a whole, `r`.
        case replace
    }

    /// What is done about arrays.
    public var lists: Lists
    /// What is done about numbers without fraction and exponent that fit in 64 bits.
    public var integers: Integers
    /// What is done about strings.
    public var strings: Strings
    /// What holds for the values of these keys instead; elements of an array go by the policy of
    /// the array, and so do the members of objects in it.
    public var members: [ExactText: DiffPolicy]

    /// A policy with these values.
    public init(
        lists: Lists = .replace, integers: Integers = .replace, strings: Strings = .delta,
        members: [ExactText: DiffPolicy] = [:]
    ) {
        self.lists = lists
        self.integers = integers
        self.strings = strings
        self.members = members
    }

    /// The default of clients: arrays and numbers are replaced, strings changed.
    public static let usual = DiffPolicy()

    /// The policy for the value of a key: the one set for it, or the same without `members`.
    public func member(_ key: ExactText) -> DiffPolicy {
        members[key] ?? DiffPolicy(lists: lists, integers: integers, strings: strings)
    }
}
