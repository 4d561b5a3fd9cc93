import Notation

/// Where everything that is left open in a world is decided: a seed, or the bytes of an input.
///
/// An input that is used up says 0 for ever, which every choice takes for the plainest.
package struct Chance {
    private enum Source {
        case seed(SplitMix64)
        case input(ArraySlice<UInt8>)
    }

    private var source: Source

    /// Decisions that depend on `seed` alone.
    package init(seed: UInt64) {
        source = .seed(SplitMix64(seed: seed &* SplitMix64.step ^ 0xD1B5_4A32_D192_ED03))
    }

    /// Decisions that the bytes of an input are.
    package init(input: [UInt8]) { source = .input(input[...]) }

    /// Whether the input is used up.
    var isSpent: Bool {
        if case .input(let rest) = source { rest.isEmpty } else { false }
    }

    /// A number in 0..<count.
    mutating func below(_ count: Int) -> Int {
        guard count > 1 else { return 0 }
        switch source {
        case .seed(var numbers):
            let number = numbers.next()
            source = .seed(numbers)
            return Int(number % UInt64(count))
        case .input(var rest):
            var number = Int(rest.popFirst() ?? 0)
            if count > 256 { number = number << 8 | Int(rest.popFirst() ?? 0) }
            source = .input(rest)
            return number % count
        }
    }

    /// Whether something happens that does so in `share` of a hundred cases.
    mutating func percent(_ share: Int) -> Bool { below(100) >= 100 - share }

    /// One of several.
    mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

    /// A size that is small more often than large, at most `most`.
    mutating func size(most: Int) -> Int {
        let bound = [2, 10, 100, 2_000, most][below(5)]
        return below(min(bound, most) + 1)
    }
}
