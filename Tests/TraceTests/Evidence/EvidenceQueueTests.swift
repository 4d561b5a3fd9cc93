import Notation
import Testing
import Wire

@testable import Trace

@Suite struct EvidenceQueueTests {
    /// A queued row and what decides when it is its turn.
    private struct Queued {
        var at: Int64
        var rank: UInt64
        var number: Int64

        static func precedes(_ a: Self, _ b: Self) -> Bool {
            (a.at, a.rank, a.number) < (b.at, b.rank, b.number)
        }
    }

    private static func number(_ item: EvidenceQueue.Item?) -> Int64? {
        guard case .entry(.event(let row))? = item else { return nil }
        return row.connection?.rawValue
    }

    @Test(arguments: [0.0, 0.02, 0.3, 1.0])
    func `gives the earliest first, whatever came out of order`(_ share: Double) {
        var chance = SplitMix64(seed: UInt64(share * 100))
        var queue = EvidenceQueue()
        var waiting: [Queued] = []
        var now: Int64 = 0
        for number in 1...4_000 as ClosedRange<Int64> {
            now += .random(in: 0...2, using: &chance)
            let isLate = Double.random(in: 0..<1, using: &chance) < share
            let next = Queued(
                at: isLate ? now + .random(in: -20...20, using: &chance) : now,
                rank: .random(in: 0...7, using: &chance), number: number)
            let row = EventRow(
                .ended, connection: ConnectionID(number), leg: nil,
                at: Instant(nanoseconds: next.at))
            queue.add(.entry(.event(row)), at: row.at, rank: next.rank)
            waiting.append(next)
            while Int.random(in: 0...40, using: &chance) < waiting.count {
                waiting.sort(by: Queued.precedes)
                #expect(queue.first == waiting.first?.at)
                #expect(Self.number(queue.pop()) == waiting.removeFirst().number)
            }
        }
        for each in waiting.sorted(by: Queued.precedes) {
            #expect(Self.number(queue.pop()) == each.number)
        }
        #expect(queue.first == nil && queue.pop() == nil)
    }
}
