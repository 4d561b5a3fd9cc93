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

    /// What waits of one leg.
    private struct Line {
        let leg: LegID
        var reads: Deque<Read> = []
    }

    /// Nearly always those of the client and of one server; kept where they are empty, so that
    /// nothing is made anew for each read.
    private var lines: [Line] = []
    private static let keptEmpty = 4

    /// Adds bytes that were read last.
    mutating func append(_ count: Int, of leg: LegID, at: Instant) {
        guard count > 0 else { return }
        lines[place(of: leg)].reads.append(Read(count: count, at: at))
    }

    /// Adds bytes that were read before all others of the leg.
    mutating func putBack(_ count: Int, of leg: LegID, at: Instant) {
        guard count > 0 else { return }
        lines[place(of: leg)].reads.prepend(Read(count: count, at: at))
    }

    /// How many of the next `count` bytes of a leg the first read brought that brought some of them;
    /// all of them where none is known.
    func first(of count: Int, of leg: LegID) -> Int {
        guard let place = known(leg), let first = lines[place].reads.first else { return count }
        return min(count, first.count)
    }

    /// How many of the next `count` bytes of a leg each read brought.
    func sizes(of count: Int, of leg: LegID) -> [Int] {
        var sizes: [Int] = []
        var left = count
        if let place = known(leg) {
            for read in lines[place].reads where left > 0 {
                sizes.append(min(left, read.count))
                left -= min(left, read.count)
                if left == 0 { break }
            }
        }
        return left > 0 ? sizes + [left] : sizes
    }

    /// Takes the next bytes of a leg, and returns when the first of them was read.
    mutating func take(_ count: Int, of leg: LegID) -> Instant? {
        guard let place = known(leg) else { return nil }
        let at = lines[place].reads.first?.at
        var left = count
        while left > 0, let first = lines[place].reads.first {
            if left >= first.count {
                left -= first.count
                lines[place].reads.removeFirst()
            } else {
                lines[place].reads[0].count -= left
                left = 0
            }
        }
        if lines[place].reads.isEmpty, lines.count > Self.keptEmpty { lines.remove(at: place) }
        return at
    }

    /// Bytes of the legs for which this holds.
    func count(where isMeant: (LegID) -> Bool) -> Int {
        lines.reduce(0) { sum, line in
            isMeant(line.leg) ? line.reads.reduce(sum) { $0 + $1.count } : sum
        }
    }

    private func known(_ leg: LegID) -> Int? { lines.firstIndex { $0.leg == leg } }

    private mutating func place(of leg: LegID) -> Int {
        if let place = known(leg) { return place }
        lines.append(Line(leg: leg))
        return lines.count - 1
    }
}
