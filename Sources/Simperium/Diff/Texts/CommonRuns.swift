/// Finds runs that occur once in each of two sequences, in the same order, by hashing.
///
/// The old sequence is cut into blocks, as rsync does; each position of the new one is looked up.
/// Takes linear time, and finds every unique common run of twice the length of a block.
enum CommonRuns {
    private static let base: UInt64 = 0x9E37_79B9_7F4A_7C15 | 1

    /// Where runs of `length` elements begin; they do not overlap.
    static func find(
        _ old: [UInt32], _ new: [UInt32], in part: Hunk, length: Int
    ) -> [(old: Int, new: Int)] {
        guard part.old.count >= length, part.new.count >= length else { return [] }
        var table = BlockTable(count: part.old.count / length)
        var block = part.old.lowerBound
        while block + length <= part.old.upperBound {
            var hash: UInt64 = 0
            for element in old[block..<block + length] { hash = hash &* base &+ UInt64(element) }
            table.insert(hash, at: block)
            block += length
        }
        var power: UInt64 = 1
        for _ in 1..<length { power = power &* base }
        var hash: UInt64 = 0
        var place = part.new.lowerBound
        for element in new[place..<place + length - 1] { hash = hash &* base &+ UInt64(element) }
        while place + length <= part.new.upperBound {
            hash = hash &* base &+ UInt64(new[place + length - 1])
            table.meet(hash, at: place)
            hash = hash &- UInt64(new[place]) &* power
            place += 1
        }
        // Equal hashes are not yet equal runs.
        let pairs = table.unique().filter { pair in
            old[pair.old..<pair.old + length].elementsEqual(new[pair.new..<pair.new + length])
        }
        var runs: [(old: Int, new: Int)] = []
        for pair in increasing(pairs) where pair.new >= (runs.last?.new ?? -length) + length {
            runs.append(pair)
        }
        return runs
    }

    /// The longest part of the pairs, which are in the order of `old`, in which `new` increases.
    private static func increasing(_ pairs: [(old: Int, new: Int)]) -> [(old: Int, new: Int)] {
        // The pair that ends the best part of each length, and the pair before each.
        var ends: [Int] = []
        var before = [Int](repeating: -1, count: pairs.count)
        for (place, pair) in pairs.enumerated() {
            var low = 0, high = ends.count
            while low < high {
                let middle = (low + high) / 2
                if pairs[ends[middle]].new < pair.new { low = middle + 1 } else { high = middle }
            }
            if low > 0 { before[place] = ends[low - 1] }
            if low == ends.count { ends.append(place) } else { ends[low] = place }
        }
        var chosen: [(old: Int, new: Int)] = []
        var place = ends.last ?? -1
        while place >= 0 {
            chosen.append(pairs[place])
            place = before[place]
        }
        return chosen.reversed()
    }
}

/// Hashes of blocks, and where each occurs.
private struct BlockTable {
    private struct Block {
        var hash: UInt64
        /// Where it is; -1 where the place of the table is free.
        var old = -1
        var new = -1
        /// Whether it is met more than once on either side.
        var isAmbiguous = false
    }

    private var blocks: [Block]
    private let mask: Int

    init(count: Int) {
        var size = 16
        while size < count * 2 { size *= 2 }
        blocks = Array(repeating: Block(hash: 0), count: size)
        mask = size - 1
    }

    private func place(of hash: UInt64) -> Int {
        // The low bits of a polynomial depend on few elements.
        var place =
            Int(truncatingIfNeeded: (hash ^ hash >> 32) &* 0xD6E8_FEB8_6659_FD93 >> 32) & mask
        while blocks[place].old >= 0, blocks[place].hash != hash { place = (place + 1) & mask }
        return place
    }

    mutating func insert(_ hash: UInt64, at old: Int) {
        let place = place(of: hash)
        if blocks[place].old >= 0 {
            blocks[place].isAmbiguous = true
        } else {
            blocks[place] = Block(hash: hash, old: old)
        }
    }

    mutating func meet(_ hash: UInt64, at new: Int) {
        let place = place(of: hash)
        guard blocks[place].old >= 0 else { return }
        if blocks[place].new >= 0 { blocks[place].isAmbiguous = true }
        blocks[place].new = new
    }

    /// The blocks that occur once on each side, in the order of the old one.
    func unique() -> [(old: Int, new: Int)] {
        blocks.filter { $0.old >= 0 && $0.new >= 0 && !$0.isAmbiguous }
            .map { (old: $0.old, new: $0.new) }
            .sorted { $0.old < $1.old }
    }
}
