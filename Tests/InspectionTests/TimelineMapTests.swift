import Filters
import Notation
import Testing
import Wire

@testable import Inspection
@testable import Trace

@Suite("The map of a timeline")
struct TimelineMapTests {
    /// Rows at random times over a span, in order of their numbers, and nearly in order of time.
    private static func entries(_ seed: UInt64, count: Int, span: Int64) -> [TimelineEntry] {
        var random = SplitMix64(seed: seed)
        let clock = TraceClock([])
        var at: Int64 = 0
        return (1...count).map { id in
            at += Int64(random.next() % UInt64(max(1, 2 * span / Int64(count))))
            let jitter = Int64(random.next() % 2_000)
            let isExchange = random.next() % 2 == 0
            let begun = max(0, at - jitter)
            return TimelineEntry(
                TimelineEvent(
                    place: LinePlace(isExchange ? .exchange : .command, Int64(id)),
                    session: SessionID(1), connection: ConnectionID(Int64(random.next() % 3) + 1),
                    at: Instant(nanoseconds: begun),
                    endedAt: isExchange
                        ? Instant(nanoseconds: begun + Int64(random.next() % UInt64(span / 4 + 1)))
                        : nil,
                    sender: isExchange ? nil : .client, status: isExchange ? 503 : nil,
                    isGood: random.next() % 4 != 0, subject: isExchange ? "http" : "notes"), clock)
        }
    }

    @Test(
        "has every row once, whatever the length",
        arguments: [1_000, 1_000_000, 60_000_000_000, 86_400_000_000_000] as [Int64])
    func counts(span: Int64) {
        let entries = Self.entries(UInt64(span), count: 3_000, span: span)
        var map = TimelineMap()
        for entry in entries { map.add(entry) }
        #expect(map.parts.values.reduce(0) { $0 + $1.reduce(0) { $0 + Int($1.count) } } == 3_000)
        let bad = entries.count { $0.level == .bad }
        #expect(map.parts.values.reduce(0) { $0 + $1.reduce(0) { $0 + Int($1.bad) } } == bad)
        #expect(map.count(from: 0, to: map.end) == 3_000)
        for cells in map.parts.values {
            #expect(cells.count <= Int(TimelineMap.cells))
            let isSorted = zip(cells, cells.dropFirst()).allSatisfy { $0.index < $1.index }
            #expect(isSorted)
        }
    }

    // A HAR has a connection for each exchange. Copied with each row, these lanes would take minutes.
    @Test("takes a row in constant time, however many lanes there are", .timeLimit(.minutes(1)))
    func lanes() {
        let clock = TraceClock([])
        var map = TimelineMap()
        for id in 1...60_000 as ClosedRange<Int64> {
            map.add(
                TimelineEntry(
                    TimelineEvent(
                        place: LinePlace(.exchange, id), session: SessionID(1),
                        connection: ConnectionID(id), at: Instant(nanoseconds: id * 1_000),
                        endedAt: Instant(nanoseconds: id * 1_000 + 500), sender: nil, status: 200,
                        isGood: true, subject: "http"), clock))
        }
        #expect(map.parts.count == 60_000)
    }

    @Test("names numbers that bound the rows of any stretch", arguments: 0..<20 as Range<UInt64>)
    func bounds(seed: UInt64) {
        let span: Int64 = 3_600_000_000_000
        let entries = Self.entries(seed, count: 500, span: span)
        var map = TimelineMap()
        for entry in entries { map.add(entry) }
        var random = SplitMix64(seed: seed)
        let from = Int64(random.next() % UInt64(span))
        let to = from + 1 + Int64(random.next() % UInt64(span / 10))
        let (after, upTo) = map.numbers(from: from, to: to)
        let long = Set(map.longOnes.map(\.place))
        for entry in entries {
            let isSeen = entry.at < to && (entry.endedAt ?? entry.at) >= from
            guard isSeen, !long.contains(entry.place) else { continue }
            let (low, high) =
                entry.isExchange
                ? (after.exchange, upTo.exchange) : (after.command, upTo.command)
            #expect(entry.place.id > low && entry.place.id <= high)
        }
    }

    @Test("has the stretches in which nothing begins", arguments: [1, 40, 3_600] as [Int64])
    func silences(seconds: Int64) {
        var map = TimelineMap()
        let second: Int64 = 1_000_000_000
        var entries = Self.entries(5, count: 40, span: 20 * second)
        let end = entries.map(\.at).max() ?? 0
        for index in 0..<40 {
            var late = entries[index]
            late.at += end + seconds * second
            late.endedAt = nil
            entries.append(late)
        }
        for entry in entries { map.add(entry) }
        let found = map.silences(ofNanoseconds: 30 * second)
        #expect(found.isEmpty == (seconds < 30))
        for silence in found {
            #expect(!entries.contains { silence.lowerBound <= $0.at && $0.at < silence.upperBound })
            #expect(silence.upperBound - silence.lowerBound >= (seconds - 3) * second)
        }
    }
}
