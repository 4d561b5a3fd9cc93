/// Finds which elements of two sequences belong together, in order.
///
/// Equal elements at both ends are paired. Where few edits transform one into the other, the
/// shortest script is found (Myers, "An O(ND) Difference Algorithm and Its Variations", 1986); else
/// elements that are unique on both sides and in the same order are paired (patience), and so on
/// recursively between them. Short stretches get the longest common subsequence. Time and memory
/// are nearly linear in the input, also where nothing matches.
struct SequenceAlignment {
    /// Number of comparisons up to which a stretch is solved exactly.
    private static let maxCompared = 250_000
    /// The maximum number of edits of a long stretch that are found exactly.
    private static let maxEdits = 400

    private let a: [Int]
    private let b: [Int]
    /// The counterpart of each element of the first sequence; -1 where it has none.
    private(set) var partners: [Int32]

    /// Aligns two sequences of keys; equal keys fit.
    init(_ a: [Int], _ b: [Int]) {
        self.a = a
        self.b = b
        partners = Array(repeating: -1, count: a.count)
        var work = [(a.indices, b.indices)]
        while let (left, right) = work.popLast() {
            let (left, right) = trim(left, right)
            guard !left.isEmpty, !right.isEmpty else { continue }
            if left.count * right.count <= Self.maxCompared {
                solve(left, right)
                continue
            }
            if edit(left, right) { continue }
            var (from, to) = (left.lowerBound, right.lowerBound)
            for (one, other) in anchors(left, right) {
                partners[one] = Int32(truncatingIfNeeded: other)
                work.append((from..<one, to..<other))
                (from, to) = (one + 1, other + 1)
            }
            // Without an anchor nothing fits.
            guard from > left.lowerBound else { continue }
            work.append((from..<left.upperBound, to..<right.upperBound))
        }
    }

    private mutating func trim(
        _ left: Range<Int>, _ right: Range<Int>
    ) -> (Range<Int>, Range<Int>) {
        var (from, to) = (left.lowerBound, right.lowerBound)
        while from < left.upperBound, to < right.upperBound, a[from] == b[to] {
            partners[from] = Int32(truncatingIfNeeded: to)
            from += 1
            to += 1
        }
        var (end, stop) = (left.upperBound, right.upperBound)
        while end > from, stop > to, a[end - 1] == b[stop - 1] {
            end -= 1
            stop -= 1
            partners[end] = Int32(truncatingIfNeeded: stop)
        }
        return (from..<end, to..<stop)
    }

    /// The longest common subsequence of two short stretches.
    private mutating func solve(_ left: Range<Int>, _ right: Range<Int>) {
        let width = right.count + 1
        var best = [Int32](repeating: 0, count: (left.count + 1) * width)
        for row in stride(from: left.count - 1, through: 0, by: -1) {
            for column in stride(from: right.count - 1, through: 0, by: -1) {
                let isSame = a[left.lowerBound + row] == b[right.lowerBound + column]
                best[row * width + column] =
                    isSame
                    ? best[(row + 1) * width + column + 1] + 1
                    : max(best[(row + 1) * width + column], best[row * width + column + 1])
            }
        }
        var (row, column) = (0, 0)
        while row < left.count, column < right.count {
            if a[left.lowerBound + row] == b[right.lowerBound + column] {
                partners[left.lowerBound + row] = Int32(
                    truncatingIfNeeded: right.lowerBound + column)
                row += 1
                column += 1
            } else if best[(row + 1) * width + column] >= best[row * width + column + 1] {
                row += 1
            } else {
                column += 1
            }
        }
    }

    /// The fewest edits, where there are at most ``maxEdits``.
    ///
    /// - Returns: Whether there are.
    private mutating func edit(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        let (n, m) = (left.count, right.count)
        guard abs(n - m) <= Self.maxEdits else { return false }
        // How far each diagonal comes with so many edits, and before each further one.
        var reach = [Int](repeating: 0, count: 2 * Self.maxEdits + 3)
        var history: [[Int]] = []
        let middle = Self.maxEdits + 1
        for edits in 0...Self.maxEdits {
            history.append(Array(reach[(middle - edits)...(middle + edits)]))
            for diagonal in stride(from: -edits, through: edits, by: 2) {
                let isDown =
                    diagonal == -edits
                    || diagonal != edits
                        && reach[middle + diagonal - 1] < reach[middle + diagonal + 1]
                var x = isDown ? reach[middle + diagonal + 1] : reach[middle + diagonal - 1] + 1
                if edits == 0 { x = 0 }
                while x < n, x - diagonal < m,
                    a[left.lowerBound + x] == b[right.lowerBound + x - diagonal]
                { x += 1 }
                reach[middle + diagonal] = x
                if x >= n, x - diagonal >= m {
                    trace(history, left.lowerBound, right.lowerBound, n, m)
                    return true
                }
            }
        }
        return false
    }

    /// Goes the way of the fewest edits back from the end.
    private mutating func trace(
        _ history: [[Int]], _ left: Int, _ right: Int, _ n: Int, _ m: Int
    ) {
        var (x, y) = (n, m)
        for edits in history.indices.reversed() {
            let diagonal = x - y
            // What was reached with one edit less; diagonals from -edits to edits.
            let reach = history[edits]
            func at(_ diagonal: Int) -> Int {
                let index = diagonal + edits
                return reach.indices.contains(index) ? reach[index] : -1
            }
            var (fromX, fromY) = (0, 0)
            if edits > 0 {
                let isDown =
                    diagonal == -edits
                    || diagonal != edits && at(diagonal - 1) < at(diagonal + 1)
                let before = isDown ? diagonal + 1 : diagonal - 1
                fromX = at(before)
                fromY = fromX - before
            }
            while x > fromX, y > fromY, x > 0, y > 0, a[left + x - 1] == b[right + y - 1] {
                x -= 1
                y -= 1
                partners[left + x] = Int32(truncatingIfNeeded: right + y)
            }
            (x, y) = (fromX, fromY)
        }
    }

    /// Pairs that are certain enough.
    ///
    /// They are of keys that are there once on both sides; without any, the nth of each key with the
    /// nth. Of those the longest chain in order.
    private func anchors(_ left: Range<Int>, _ right: Range<Int>) -> [(Int, Int)] {
        var places: [Int: [Int32]] = [:]
        for place in right {
            places[b[place], default: []].append(Int32(truncatingIfNeeded: place))
        }
        var counts: [Int: Int] = [:]
        for place in left { counts[a[place], default: 0] += 1 }
        var pairs: [(Int, Int)] = []
        for place in left where counts[a[place]] == 1 {
            if let other = places[a[place]], other.count == 1 {
                pairs.append((place, Int(other[0])))
            }
        }
        if pairs.isEmpty {
            var used: [Int: Int] = [:]
            for place in left {
                guard let others = places[a[place]] else { continue }
                let number = used[a[place], default: 0]
                guard number < others.count else { continue }
                used[a[place]] = number + 1
                pairs.append((place, Int(others[number])))
            }
        }
        return Self.longestChain(pairs)
    }

    /// The longest chain of pairs of which both places rise; the first places rise already.
    private static func longestChain(_ pairs: [(Int, Int)]) -> [(Int, Int)] {
        var tails: [Int] = []
        var before = [Int](repeating: -1, count: pairs.count)
        for (index, pair) in pairs.enumerated() {
            var (low, high) = (0, tails.count)
            while low < high {
                let middle = (low + high) / 2
                if pairs[tails[middle]].1 < pair.1 { low = middle + 1 } else { high = middle }
            }
            before[index] = low > 0 ? tails[low - 1] : -1
            if low == tails.count { tails.append(index) } else { tails[low] = index }
        }
        var chain: [(Int, Int)] = []
        var next = tails.last ?? -1
        while next >= 0 {
            chain.append(pairs[next])
            next = before[next]
        }
        return chain.reversed()
    }
}
