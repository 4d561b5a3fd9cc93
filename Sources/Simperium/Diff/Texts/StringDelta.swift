import Notation
import Wire

/// A change of a string: what is kept, dropped and inserted, from its start to its end.
///
/// On the wire `=2\t-1\t+d`: tokens separated by TAB, counts in UTF-16 code units, inserted text
/// percent-escaped. Source: the delta format of diff-match-patch as jsondiff uses it.
public struct StringDelta: Hashable, Sendable {
    /// One step through the old string.
    public enum Step: Sendable {
        /// This many code units are kept.
        case keep(Int)
        /// This many code units are dropped.
        case drop(Int)
        /// This text comes in.
        case insert(String)
    }

    /// The steps, in order.
    public let steps: [Step]
    /// Length of the string it applies to, in UTF-16 code units.
    public let length: Int
    /// Whether a token is without effect: `=0`, `-0`, a bare `+`, or two TABs in a row.
    ///
    /// Correct clients send none.
    public let hasEmptySteps: Bool

    /// The delta of these steps: neighbours of one kind become one step, empty ones none.
    ///
    /// Counts below 1 are empty. ``text`` of the result is read as an equal delta.
    public init(steps: [Step]) {
        let steps = Self.merged(steps)
        self.init(steps: steps, length: Self.length(of: steps), hasEmptySteps: false)
    }

    init(steps: [Step], length: Int, hasEmptySteps: Bool) {
        self.steps = steps
        self.length = length
        self.hasEmptySteps = hasEmptySteps
    }

    /// Whether nothing is dropped and nothing inserted.
    public var changesNothing: Bool {
        steps.allSatisfy { step in
            switch step {
            case .keep: true
            case .drop(let count): count <= 0
            case .insert(let text): text.isEmpty
            }
        }
    }

    /// Neighbours of one kind as one step, without empty ones.
    static func merged(_ steps: [Step]) -> [Step] {
        var merged: [Step] = []
        merged.reserveCapacity(steps.count)
        for step in steps {
            switch (merged.last, step) {
            case (_, .keep(...0)), (_, .drop(...0)), (_, .insert("")): break
            case (.keep(let first)?, .keep(let second)):
                merged[merged.count - 1] = .keep(saturatingSum(first, second))
            case (.drop(let first)?, .drop(let second)):
                merged[merged.count - 1] = .drop(saturatingSum(first, second))
            case (.insert(let first)?, .insert(let second)):
                merged[merged.count - 1] = .insert(first + second)
            default: merged.append(step)
            }
        }
        return merged
    }

    private static func length(of steps: [Step]) -> Int {
        var length = 0
        for step in steps {
            switch step {
            case .keep(let count), .drop(let count): length = saturatingSum(length, count)
            case .insert: break
            }
        }
        return length
    }

    private static func saturatingSum(_ a: Int, _ b: Int) -> Int {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? .max : sum
    }
}

extension StringDelta.Step: Hashable {
    /// Whether both do the same; inserted texts are compared by code points.
    public static func == (a: Self, b: Self) -> Bool {
        switch (a, b) {
        case (.keep(let a), .keep(let b)), (.drop(let a), .drop(let b)): a == b
        case (.insert(let a), .insert(let b)): ExactText(a) == ExactText(b)
        default: false
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .keep(let count), .drop(let count): hasher.combine(count)
        case .insert(let text): hasher.combine(ExactText(text))
        }
    }
}
