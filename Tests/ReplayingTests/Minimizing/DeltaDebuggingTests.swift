import Testing

@testable import Replaying

@Suite struct DeltaDebuggingTests {
    /// What is found where a set fails if `fails` says so, and the number of tries.
    private func minimize(
        _ count: Int, _ fails: (Set<Int>) -> Bool
    ) -> (kept: [Int], tries: [[Int]]) {
        var search = DeltaDebugging(count: count)
        var tries: [[Int]] = []
        while let candidate = search.candidate() {
            tries.append(candidate)
            search.report(fails: fails(Set(candidate)))
        }
        return (search.kept, tries)
    }

    @Test func `finds the needed units wherever they stand`() {
        var numbers = Numbers(seed: 7)
        for _ in 0..<200 {
            let count = 1 + Int(numbers.next() % 60)
            let needed = Set((0..<count).filter { _ in numbers.next() % 8 == 0 })
            let (kept, tries) = minimize(count) { needed.isSubset(of: $0) }
            #expect(kept == needed.sorted())
            #expect(Set(tries).count == tries.count, "something was tried twice")
            #expect(tries.allSatisfy { $0 == $0.sorted() && $0.count < count })
        }
    }

    @Test func `leaves out no more where any two of three will do`() {
        let (kept, _) = minimize(40) { $0.intersection([3, 17, 31]).count >= 2 }
        #expect(kept.count == 2)
        #expect(Set(kept).isSubset(of: [3, 17, 31]))
    }

    @Test func `leaves one that cannot be spared where nothing is monotonous`() {
        // Fails where an even number of units is there and 5 among them.
        let (kept, _) = minimize(16) { $0.contains(5) && $0.count.isMultiple(of: 2) }
        #expect(kept.contains(5))
        for unit in kept {
            let rest = Set(kept).subtracting([unit])
            #expect(!(rest.contains(5) && rest.count.isMultiple(of: 2)))
        }
    }

    @Test func `one needed unit of a million takes few tries`() {
        let (kept, tries) = minimize(1_000_000) { $0.contains(654_321) }
        #expect(kept == [654_321])
        #expect(tries.count < 64)
    }

    @Test(arguments: 0...2) func `fails even with nothing, and asks once`(count: Int) {
        let (kept, tries) = minimize(count) { _ in true }
        #expect(kept.isEmpty)
        #expect(tries.count == (count == 0 ? 0 : 1))
    }

    /// A small generator with a seed.
    private struct Numbers {
        var state: UInt64

        init(seed: UInt64) { state = seed }

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
    }
}
