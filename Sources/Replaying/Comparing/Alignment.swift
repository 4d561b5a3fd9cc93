/// What belongs together in two lists, step by step: the same first, then what is alike.
struct Alignment {
    /// How two elements belong together.
    enum Fit: Hashable, Sendable {
        /// The same, in order.
        case same
        /// The same, in another order.
        case moved
        /// Alike: their differences are listed.
        case alike
    }

    /// A place on either side or both.
    struct Step: Hashable, Sendable {
        var a: Int?
        var b: Int?
        var fit: Fit?
    }

    /// The steps: in the order of both lists, what was moved at its place in the first.
    let steps: [Step]

    /// Aligns two lists.
    ///
    /// - Parameters:
    ///   - a: The keys of the first list, most exact first; each has a key for each of its elements.
    ///   - b: Those of the second list.
    ///   - pairsAfar: The keys after the first by which the rest is paired at any distance.
    init(_ a: [[Int]], _ b: [[Int]], pairsAfar: Set<Int> = []) {
        let (countA, countB) = (a.first?.count ?? 0, b.first?.count ?? 0)
        var partnerOfA = [Int32](repeating: -1, count: countA)
        var partnerOfB = [Int32](repeating: -1, count: countB)
        var fits = [Fit?](repeating: nil, count: countA)
        func pair(_ one: Int, _ other: Int, _ fit: Fit) {
            partnerOfA[one] = Int32(truncatingIfNeeded: other)
            partnerOfB[other] = Int32(truncatingIfNeeded: one)
            fits[one] = fit
        }
        guard let exactA = a.first, let exactB = b.first else {
            steps = []
            return
        }
        for (one, other) in SequenceAlignment(exactA, exactB).partners.enumerated() where other >= 0
        {
            pair(one, Int(other), .same)
        }
        // What is the same elsewhere.
        for (one, other) in Self.leftPairs(exactA, exactB, partnerOfA, partnerOfB) {
            pair(one, other, .moved)
        }
        for level in 1..<max(1, a.count) {
            // Between two that are in order in both lists.
            var (from, to) = (0, 0)
            var gaps: [(Range<Int>, Range<Int>)] = []
            for one in 0..<countA where fits[one] != .moved {
                let other = Int(partnerOfA[one])
                guard other >= to else { continue }
                gaps.append((from..<one, to..<other))
                (from, to) = (one + 1, other + 1)
            }
            gaps.append((from..<countA, to..<countB))
            for (left, right) in gaps {
                let free = left.filter { partnerOfA[$0] < 0 }
                let others = right.filter { partnerOfB[$0] < 0 }
                guard !free.isEmpty, !others.isEmpty else { continue }
                let found = SequenceAlignment(
                    free.map { a[level][$0] }, others.map { b[level][$0] })
                for (one, other) in found.partners.enumerated() where other >= 0 {
                    pair(free[one], others[Int(other)], .alike)
                }
            }
            if pairsAfar.contains(level) {
                for (one, other) in Self.leftPairs(a[level], b[level], partnerOfA, partnerOfB) {
                    pair(one, other, .alike)
                }
            }
        }
        steps = Self.merged(partnerOfA, partnerOfB, fits)
    }

    /// The nth of each key that is left on one side with the nth on the other.
    private static func leftPairs(
        _ a: [Int], _ b: [Int], _ partnerOfA: [Int32], _ partnerOfB: [Int32]
    ) -> [(Int, Int)] {
        var places: [Int: [Int]] = [:]
        for place in b.indices.reversed() where partnerOfB[place] < 0 {
            places[b[place], default: []].append(place)
        }
        guard !places.isEmpty else { return [] }
        var pairs: [(Int, Int)] = []
        for place in a.indices where partnerOfA[place] < 0 {
            if let other = places[a[place]]?.popLast() { pairs.append((place, other)) }
        }
        return pairs
    }

    private static func merged(
        _ partnerOfA: [Int32], _ partnerOfB: [Int32], _ fits: [Fit?]
    ) -> [Step] {
        var steps: [Step] = []
        steps.reserveCapacity(max(partnerOfA.count, partnerOfB.count))
        var next = 0
        func added(upto end: Int) {
            while next < end {
                if partnerOfB[next] < 0 { steps.append(Step(b: next)) }
                next += 1
            }
        }
        for (place, partner) in partnerOfA.enumerated() {
            guard partner >= 0 else {
                steps.append(Step(a: place))
                continue
            }
            // What is not in order keeps no place in the second list.
            if Int(partner) >= next, fits[place] != .moved { added(upto: Int(partner)) }
            steps.append(Step(a: place, b: Int(partner), fit: fits[place]))
        }
        added(upto: partnerOfB.count)
        return steps
    }
}
