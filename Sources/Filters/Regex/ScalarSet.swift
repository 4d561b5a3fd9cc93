/// A set of Unicode scalars, as ranges.
struct ScalarSet: Hashable, Sendable {
    /// The ranges, ascending, neither overlapping nor touching.
    private(set) var ranges: [ClosedRange<UInt32>] = []

    /// The set of what is in `ranges`, in any order.
    init(_ ranges: [ClosedRange<UInt32>]) {
        insert(ranges)
    }

    /// Adds what is in `more`.
    mutating func insert(_ more: [ClosedRange<UInt32>]) {
        let sorted = (ranges + more).sorted { $0.lowerBound < $1.lowerBound }
        ranges = []
        for range in sorted {
            if let last = ranges.last, range.lowerBound <= last.upperBound + 1 {
                let upper = max(last.upperBound, range.upperBound)
                ranges[ranges.count - 1] = last.lowerBound...upper
            } else {
                ranges.append(range)
            }
        }
    }

    /// All scalars that are not in the set.
    var inverted: ScalarSet {
        var gaps: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges {
            if range.lowerBound > next { gaps.append(next...range.lowerBound - 1) }
            next = range.upperBound + 1
        }
        if next <= 0x10_FFFF { gaps.append(next...0x10_FFFF) }
        return ScalarSet(gaps)
    }

    /// Adds the other case of the letters in the set: ASCII and what has one scalar for either.
    ///
    /// Single scalars are folded wherever they are, of ranges what is below U+0800.
    mutating func foldCase() {
        var more: [ClosedRange<UInt32>] = []
        for range in ranges {
            let upper = range.count == 1 ? range.upperBound : min(range.upperBound, 0x7FF)
            guard range.lowerBound <= upper else { continue }
            for value in range.lowerBound...upper {
                guard let scalar = Unicode.Scalar(value) else { continue }
                let properties = scalar.properties
                for mapping in [properties.lowercaseMapping, properties.uppercaseMapping] {
                    let mapped = mapping.unicodeScalars
                    if mapped.count == 1, let other = mapped.first?.value, other != value {
                        // The sign for kelvin and the like do not count as ASCII letters.
                        if (value < 0x80) == (other < 0x80) { more.append(other...other) }
                    }
                }
            }
        }
        insert(more)
    }

    static let digits = ScalarSet([0x30...0x39])
    static let wordCharacters = ScalarSet([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
    static let spaces = ScalarSet([0x09...0x0D, 0x20...0x20])
    static let allButLineFeed = ScalarSet([0x0A...0x0A]).inverted
}
