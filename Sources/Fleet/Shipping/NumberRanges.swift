/// A set of numbers as ranges: many that follow each other take as much room as one.
struct NumberRanges: Hashable, Sendable, CustomStringConvertible {
    /// The ranges, in order, with a gap after each.
    private(set) var ranges: [ClosedRange<Int64>] = []

    /// No number.
    init() {}

    /// The numbers of `range`.
    init(_ range: ClosedRange<Int64>) { ranges = [range] }

    /// Reads ``description``; nil for anything else.
    init?(_ text: String) {
        for part in text.split(separator: ",") {
            let ends = part.split(separator: "-")
            guard let low = ends.first.flatMap({ Int64($0) }),
                let high = ends.last.flatMap({ Int64($0) }), ends.count <= 2, low <= high,
                ranges.last.map({ $0.upperBound < low }) ?? true
            else { return nil }
            ranges.append(low...high)
        }
    }

    /// `1-5,7`.
    var description: String {
        ranges.map {
            $0.lowerBound == $0.upperBound
                ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)"
        }.joined(separator: ",")
    }

    /// Whether there is no number.
    var isEmpty: Bool { ranges.isEmpty }

    /// The smallest number.
    var first: Int64? { ranges.first?.lowerBound }

    /// The largest number.
    var last: Int64? { ranges.last?.upperBound }

    /// Adds a number that is larger than all others.
    mutating func append(_ number: Int64) {
        if let end = ranges.last, end.upperBound == number - 1 {
            ranges[ranges.count - 1] = end.lowerBound...number
        } else {
            ranges.append(number...number)
        }
    }

    /// Takes the numbers of `other` out.
    mutating func subtract(_ other: Self) {
        guard !other.isEmpty else { return }
        var left: [ClosedRange<Int64>] = []
        var next = 0
        for range in ranges {
            var low = range.lowerBound
            var isOver = false
            while next < other.ranges.count, other.ranges[next].upperBound < low { next += 1 }
            var index = next
            while index < other.ranges.count, other.ranges[index].lowerBound <= range.upperBound {
                let hole = other.ranges[index]
                if hole.lowerBound > low { left.append(low...hole.lowerBound - 1) }
                guard hole.upperBound < range.upperBound else {
                    isOver = true
                    break
                }
                low = max(low, hole.upperBound + 1)
                index += 1
            }
            if !isOver { left.append(low...range.upperBound) }
        }
        ranges = left
    }
}
