/// Finds any of many phrases in text.
///
/// The phrases are sorted; at each place of the text the range of those that begin as the text does
/// is narrowed byte by byte. A filter of the first four bytes excludes nearly all places at once.
/// Time per place is bounded by the longest phrase and the logarithm of their number, whatever the
/// phrases are.
struct PhraseSearch {
    /// Fewest bytes of a phrase.
    static let shortest = 4
    /// The maximum number of bytes of a phrase that are compared: 4,096.
    ///
    /// Longer ones are left out.
    static let longest = 4_096

    private let phrases: [[UInt8]]
    private var filter = [UInt64](repeating: 0, count: 1 << 10)

    /// A search for `phrases` of ``shortest`` to ``longest`` bytes; others are left out.
    init(_ phrases: some Sequence<[UInt8]>) {
        self.phrases = Set(phrases).filter {
            (Self.shortest...Self.longest).contains($0.count)
        }.sorted { $0.lexicographicallyPrecedes($1) }
        for phrase in self.phrases {
            let hash = Self.hash(phrase, 0)
            filter[hash >> 6] |= 1 << UInt64(hash & 63)
        }
    }

    /// Whether there is nothing to find.
    var isEmpty: Bool { phrases.isEmpty }

    private static func hash(_ text: [UInt8], _ place: Int) -> Int {
        var value: UInt32 = 0
        for byte in text[place..<place + 4] { value = value << 8 | UInt32(byte) }
        return Int((value &* 0x9E37_79B1) >> 16)
    }

    /// The longest phrase for which `isFit` that begins at `place` of `text`.
    func longest(
        in text: [UInt8], at place: Int, where isFit: ([UInt8]) -> Bool
    ) -> [UInt8]? {
        guard place + Self.shortest <= text.count else { return nil }
        let hash = Self.hash(text, place)
        guard filter[hash >> 6] & 1 << UInt64(hash & 63) != 0 else { return nil }
        var (low, high) = (0, phrases.count)
        var found: [UInt8]?
        var depth = 0
        while low < high, place + depth < text.count {
            let byte = text[place + depth]
            low = bound(low, high) { $0[depth] < byte }
            high = bound(low, high) { $0[depth] <= byte }
            depth += 1
            // The shortest of those that begin alike comes first.
            if low < high, phrases[low].count == depth {
                if isFit(phrases[low]) { found = phrases[low] }
                low += 1
            }
        }
        return found
    }

    private func bound(_ low: Int, _ high: Int, _ isBefore: ([UInt8]) -> Bool) -> Int {
        var (low, high) = (low, high)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(phrases[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// A phrase that begins with `start`, which is not empty.
    func phrase(beginningWith start: ArraySlice<UInt8>) -> [UInt8]? {
        let index = bound(0, phrases.count) { $0.lexicographicallyPrecedes(start) }
        guard index < phrases.count, phrases[index].starts(with: start) else { return nil }
        return phrases[index]
    }
}
