import Wire

/// What a peer sent, and where faults made what goes on in its place differ.
struct Alteration: Hashable {
    /// What the peer sent.
    private(set) var original: ArraySlice<UInt8>
    /// What makes the forwarded bytes of it, relative to its first byte, in ascending order of
    /// offset, not overlapping.
    private(set) var patches: [Patch]

    /// `bytes`, in whose place `others` go on, which differ in one place.
    init(of bytes: [UInt8], by others: [UInt8]) {
        let start = Self.sharedStart(bytes, others)
        let end = Self.sharedEnd(bytes, others, atMost: min(bytes.count, others.count) - start)
        guard start + end < max(bytes.count, others.count) else {
            self.init(bytes[...], [])
            return
        }
        let change = Patch(
            offset: start, removed: bytes.count - start - end,
            inserted: Array(others[start..<others.count - end]), reason: .fault)
        self.init(bytes[...], [change])
    }

    /// How many bytes two begin with that are the same.
    private static func sharedStart(_ one: [UInt8], _ other: [UInt8]) -> Int {
        let most = min(one.count, other.count)
        return one.withUnsafeBytes { one in
            other.withUnsafeBytes { other in
                var count = 0
                while count + 8 <= most,
                    one.loadUnaligned(fromByteOffset: count, as: UInt64.self)
                        == other.loadUnaligned(fromByteOffset: count, as: UInt64.self)
                { count += 8 }
                while count < most, one[count] == other[count] { count += 1 }
                return count
            }
        }
    }

    /// How many bytes two end with that are the same, `most` at the most.
    private static func sharedEnd(_ one: [UInt8], _ other: [UInt8], atMost most: Int) -> Int {
        one.withUnsafeBytes { one in
            other.withUnsafeBytes { other in
                var count = 0
                while count + 8 <= most,
                    one.loadUnaligned(fromByteOffset: one.count - count - 8, as: UInt64.self)
                        == other.loadUnaligned(
                            fromByteOffset: other.count - count - 8, as: UInt64.self)
                { count += 8 }
                while count < most, one[one.count - 1 - count] == other[other.count - 1 - count] {
                    count += 1
                }
                return count
            }
        }
    }

    /// `original`, of which these patches make what goes on.
    init(_ original: ArraySlice<UInt8>, _ patches: [Patch]) {
        self.original = original
        self.patches = patches
    }

    /// Adds what was sent next.
    mutating func append(_ next: Alteration) {
        patches += next.patches.moved(by: original.count)
        original += next.original
    }

    /// What a part of the forwarded bytes came from, given by their places from 0.
    ///
    /// Parts that follow each other, and hold forwarded bytes, share out everything that was sent.
    func part(_ range: Range<Int>) -> Alteration {
        split(at: range.upperBound).before.split(at: range.lowerBound).after
    }

    /// What the first `count` forwarded bytes came from, and the rest.
    ///
    /// What was taken out between the two goes with the first, where that holds anything. Where they
    /// part within inserted bytes, each of these takes one of the bytes that were taken out for them
    /// along, as far as there are any.
    private func split(at count: Int) -> (before: Alteration, after: Alteration) {
        guard count > 0 else { return (Alteration(original.prefix(0), []), self) }
        var (before, after): ([Patch], [Patch]) = ([], [])
        // How much further on things stand in the forwarded bytes.
        var shift = 0
        var cut: Int?
        for patch in patches {
            let taken = count - patch.offset - shift
            if !after.isEmpty || taken < 0 || taken == 0 && !patch.inserted.isEmpty {
                after.append(patch)
            } else if taken >= patch.inserted.count {
                before.append(patch)
                shift += patch.inserted.count - patch.removed
            } else {
                let removed = min(patch.removed, taken)
                before.append(
                    Patch(
                        offset: patch.offset, removed: removed,
                        inserted: Array(patch.inserted[..<taken]), reason: patch.reason))
                after.append(
                    Patch(
                        offset: patch.offset + removed, removed: patch.removed - removed,
                        inserted: Array(patch.inserted[taken...]), reason: patch.reason))
                cut = patch.offset + removed
            }
        }
        let place = cut ?? count - shift
        return (
            Alteration(original.prefix(place), before),
            Alteration(original.dropFirst(place), after.moved(by: -place))
        )
    }

    /// The patches that make of the original what the forwarded bytes are with these rewrites.
    ///
    /// A rewrite of bytes that were not in the original, or from between which some were taken out,
    /// is one with the patch of the fault.
    ///
    /// - Parameters:
    ///   - rewrites: Relative to the forwarded bytes, in ascending order of offset, not overlapping.
    ///   - forwarded: The forwarded bytes.
    /// - Returns: In ascending order of offset, not overlapping.
    func composed(with rewrites: [Patch], of forwarded: ArraySlice<UInt8>) -> [Patch] {
        guard !rewrites.isEmpty else { return patches }
        var result: [Patch] = []
        var faults = patches[...]
        var rest = rewrites[...]
        var shift = 0
        while let rewrite = rest.first {
            guard let fault = faults.first else {
                result += Array(rest).moved(by: -shift)
                break
            }
            let start = fault.offset + shift
            let end = start + fault.inserted.count
            if end <= rewrite.offset {
                result.append(fault)
                shift += fault.inserted.count - fault.removed
                faults.removeFirst()
            } else if rewrite.offset + rewrite.removed <= start {
                result += [rewrite].moved(by: -shift)
                rest.removeFirst()
            } else if let one = merged(&faults, &rest, &shift, forwarded) {
                result.append(one)
            }
        }
        return result + faults
    }

    /// One patch for the faults and rewrites at the front that overlap; nil where together they
    /// change nothing.
    private func merged(
        _ faults: inout ArraySlice<Patch>, _ rewrites: inout ArraySlice<Patch>,
        _ shift: inout Int, _ forwarded: ArraySlice<UInt8>
    ) -> Patch? {
        let before = shift
        var first = Int.max
        var last = Int.min
        var taken: [Patch] = []
        while true {
            if let fault = faults.first, last == .min || fault.offset + shift < last {
                first = min(first, fault.offset + shift)
                last = max(last, fault.offset + shift + fault.inserted.count)
                shift += fault.inserted.count - fault.removed
                faults.removeFirst()
            } else if let rewrite = rewrites.first, taken.isEmpty || rewrite.offset < last {
                first = min(first, rewrite.offset)
                last = max(last, rewrite.offset + rewrite.removed)
                taken.append(rewrite)
                rewrites.removeFirst()
            } else {
                break
            }
        }
        let changed = forwarded.dropFirst(first).prefix(last - first)
        return Patch(
            offset: first - before, removed: (last - shift) - (first - before),
            inserted: Patch.apply(taken.moved(by: -first), to: Array(changed)), reason: .fault
        ).trimmed(in: original)
    }
}
