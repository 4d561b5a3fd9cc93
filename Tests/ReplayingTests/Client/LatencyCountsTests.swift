import Notation
import Replaying
import Testing

struct LatencyCountsTests {
    @Test func `empty`() { #expect(LatencyCounts().percentile(0.5) == nil) }

    @Test(arguments: 0..<20) func `within a sixteenth of the truth`(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        var counts = LatencyCounts()
        var all: [Int64] = []
        for _ in 0..<500 {
            let value = Int64(random.below(1 << (1 + random.below(40))))
            all.append(value)
            counts.add(value)
        }
        all.sort()
        for share in [0, 0.01, 0.5, 0.9, 0.95, 0.99, 1] {
            let truth = all[max(0, Int((Double(all.count) * share).rounded(.up)) - 1)]
            let found = try #require(counts.percentile(share))
            #expect(found >= truth && found <= truth + truth / 16 + 1, "\(share)")
        }
        #expect(counts.longest == all.last)
    }

    @Test func `two together`() {
        var one = LatencyCounts()
        one.add(10)
        var two = LatencyCounts()
        two.add(1_000_000)
        two.add(-5)
        one.add(two)
        #expect(one.count == 3)
        #expect(one.percentile(1) == 1_000_000)
        #expect(one.percentile(0) == 0)
        two.add(LatencyCounts())
        #expect(two.count == 2)
    }

    @Test func `the longest there is`() {
        var counts = LatencyCounts()
        counts.add(.max)
        #expect(counts.percentile(0.5) == .max)
    }
}
