import Notation
import Testing

@testable import Replaying

@Suite struct AlignmentTests {
    /// Length of the longest common subsequence, the slow way.
    private func common(_ a: [Int], _ b: [Int]) -> Int {
        var row = [Int](repeating: 0, count: b.count + 1)
        for x in a {
            var last = 0
            for (index, y) in b.enumerated() {
                let above = row[index + 1]
                row[index + 1] = x == y ? last + 1 : max(above, row[index])
                last = above
            }
        }
        return row[b.count]
    }

    @Test func `finds the longest common subsequence of short sequences`() {
        var random = SplitMix64(seed: 1)
        for _ in 0..<300 {
            let a = (0..<random.below(30)).map { _ in random.below(6) }
            let b = (0..<random.below(30)).map { _ in random.below(6) }
            let partners = SequenceAlignment(a, b).partners
            let pairs = partners.enumerated().filter { $0.element >= 0 }
            #expect(pairs.allSatisfy { a[$0.offset] == b[Int($0.element)] })
            #expect(zip(pairs, pairs.dropFirst()).allSatisfy { $0.element < $1.element })
            #expect(pairs.count == common(a, b))
        }
    }

    @Test func `finds edits in long sequences`() {
        var random = SplitMix64(seed: 2)
        for keys in [7, 1_000, 1_000_000] {
            let a = (0..<20_000).map { _ in random.below(keys) }
            var b = a
            for _ in 0..<20 {
                let place = random.below(b.count)
                if random.chance(50) { b.remove(at: place) } else { b.insert(-1, at: place) }
            }
            let partners = SequenceAlignment(a, b).partners
            let pairs = partners.enumerated().filter { $0.element >= 0 }
            #expect(pairs.allSatisfy { a[$0.offset] == b[Int($0.element)] })
            #expect(zip(pairs, pairs.dropFirst()).allSatisfy { $0.element < $1.element })
            #expect(pairs.count >= a.count - 20)
        }
    }

    @Test func `is quick where nothing or little fits`() {
        let a = Array(0..<50_000)
        #expect(SequenceAlignment(a, a.map { -1 - $0 }).partners.allSatisfy { $0 < 0 })
        let reversed = SequenceAlignment(a, a.reversed()).partners
        #expect(reversed.count { $0 >= 0 } == 1)
        let same = [Int](repeating: 1, count: 50_000)
        #expect(
            SequenceAlignment(same, Array(same.dropLast(7))).partners.count { $0 >= 0 } == 49_993)
    }

    @Test func `tells what was moved from what was changed`() {
        let steps = Alignment(
            [[1, 2, 3, 4], [0, 0, 0, 0]], [[2, 3, 9, 1, 4], [0, 0, 0, 0, 0]]
        ).steps
        #expect(
            steps == [
                .init(a: 0, b: 3, fit: .moved), .init(a: 1, b: 0, fit: .same),
                .init(a: 2, b: 1, fit: .same), .init(b: 2), .init(a: 3, b: 4, fit: .same),
            ])
        let changed = Alignment([[1, 2, 3], [5, 6, 7]], [[1, 4, 3], [5, 6, 7]]).steps
        #expect(changed.map(\.fit) == [.same, .alike, .same])
    }

    @Test func `names every element once`() {
        var random = SplitMix64(seed: 5)
        for _ in 0..<300 {
            func list() -> [[Int]] {
                let exact = (0..<random.below(25)).map { _ in random.below(12) }
                return [exact, exact.map { $0 / 3 }, exact.map { $0 / 6 }]
            }
            let (a, b) = (list(), list())
            let steps = Alignment(a, b, pairsAfar: [1]).steps
            #expect(steps.compactMap(\.a).sorted() == Array(a[0].indices))
            #expect(steps.compactMap(\.b).sorted() == Array(b[0].indices))
            #expect(steps.compactMap(\.a) == Array(a[0].indices))
            for step in steps {
                guard let one = step.a, let other = step.b else {
                    #expect(step.fit == nil)
                    continue
                }
                if step.fit == .alike {
                    #expect(a[1][one] == b[1][other] || a[2][one] == b[2][other])
                } else {
                    #expect(a[0][one] == b[0][other])
                }
            }
        }
    }
}
