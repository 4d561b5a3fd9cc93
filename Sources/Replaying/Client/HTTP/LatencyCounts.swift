/// How often something took how long, in bounded memory.
///
/// Durations are kept to within a sixteenth of their length.
public struct LatencyCounts: Hashable, Sendable {
    /// Counts by length: 16 for each power of two.
    private var counts: [UInt32] = []
    /// Durations that were added.
    public private(set) var count = 0
    /// The longest, in nanoseconds.
    public private(set) var longest: Int64 = 0

    /// None yet.
    public init() {}

    /// Adds a duration.
    ///
    /// - Parameter nanoseconds: How long it took; less than nothing counts as nothing.
    public mutating func add(_ nanoseconds: Int64) {
        let place = Self.place(of: max(0, nanoseconds))
        if place >= counts.count {
            counts += Array(repeating: 0, count: place + 1 - counts.count)
        }
        counts[place] &+= 1
        count += 1
        longest = max(longest, nanoseconds)
    }

    /// Adds all that `other` counted.
    public mutating func add(_ other: LatencyCounts) {
        if counts.count < other.counts.count {
            counts += Array(repeating: 0, count: other.counts.count - counts.count)
        }
        for (place, more) in other.counts.enumerated() { counts[place] &+= more }
        count += other.count
        longest = max(longest, other.longest)
    }

    /// The percentile of the durations, in nanoseconds; nil where there is none.
    ///
    /// - Parameter share: In 0...1; 0.5 is the median.
    /// - Returns: At most a sixteenth too long.
    public func percentile(_ share: Double) -> Int64? {
        guard count > 0 else { return nil }
        let wanted = max(1, (Double(count) * min(1, max(0, share))).rounded(.up))
        var seen = 0.0
        for (place, count) in counts.enumerated() {
            seen += Double(count)
            if seen >= wanted { return min(Self.end(of: place), longest) }
        }
        return longest
    }

    private static func place(of nanoseconds: Int64) -> Int {
        guard nanoseconds >= 16 else { return Int(nanoseconds) }
        let power = 63 - nanoseconds.leadingZeroBitCount
        return (power - 3) * 16 + Int(nanoseconds >> (power - 4) & 15)
    }

    /// The longest duration at a place.
    private static func end(of place: Int) -> Int64 {
        guard place >= 16 else { return Int64(place) }
        let power = place / 16 + 3
        return (Int64(place % 16) | 16) << (power - 4) + (Int64(1) << (power - 4) - 1)
    }
}
