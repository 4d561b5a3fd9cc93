import DequeModule
import Wire

/// When the bytes that wait for a judgement were read, of each leg in order.
///
/// What is read and not given to the relay at once is added, and what is given to it later, or to
/// nobody, is taken: these are the bytes in the gate, in the lanes and among the suspects.
struct ReadTimes {
    private struct Read {
        var count: Int
        let at: Instant
    }

    private var reads: [LegID: Deque<Read>] = [:]

    /// Adds bytes that were read last.
    mutating func append(_ count: Int, of leg: LegID, at: Instant) {
        guard count > 0 else { return }
        reads[leg, default: []].append(Read(count: count, at: at))
    }

    /// Adds bytes that were read before all others of the leg.
    mutating func putBack(_ count: Int, of leg: LegID, at: Instant) {
        guard count > 0 else { return }
        reads[leg, default: []].prepend(Read(count: count, at: at))
    }

    /// How many of the next `count` bytes of a leg each read brought.
    func sizes(of count: Int, of leg: LegID) -> [Int] {
        var sizes: [Int] = []
        var left = count
        for read in reads[leg, default: []] where left > 0 {
            sizes.append(min(left, read.count))
            left -= min(left, read.count)
            if left == 0 { break }
        }
        return left > 0 ? sizes + [left] : sizes
    }

    /// Takes the next bytes of a leg, and returns when the first of them was read.
    mutating func take(_ count: Int, of leg: LegID) -> Instant? {
        let at = reads[leg]?.first?.at
        var left = count
        while left > 0, let first = reads[leg]?.first {
            if left >= first.count {
                left -= first.count
                _ = reads[leg]?.popFirst()
            } else {
                reads[leg]?[0].count -= left
                left = 0
            }
        }
        if reads[leg]?.isEmpty == true { reads[leg] = nil }
        return at
    }

    /// Bytes of the legs for which this holds.
    func count(where isMeant: (LegID) -> Bool) -> Int {
        reads.reduce(0) { sum, line in
            isMeant(line.key) ? line.value.reduce(sum) { $0 + $1.count } : sum
        }
    }
}
