/// Ranges of Unicode scalars as sequences of ranges of bytes.
enum UTF8Ranges {
    /// The sequences that together encode exactly the scalars of `range`.
    ///
    /// Every element has one to four ranges, for the first byte, the second and so on. Surrogates
    /// are left out.
    static func of(_ range: ClosedRange<UInt32>) -> [[ClosedRange<UInt8>]] {
        var sequences: [[ClosedRange<UInt8>]] = []
        // Within these, all scalars take the same number of bytes.
        let blocks: [ClosedRange<UInt32>] = [
            0...0x7F, 0x80...0x7FF, 0x800...0xD7FF, 0xE000...0xFFFF, 0x1_0000...0x10_FFFF,
        ]
        for block in blocks where range.overlaps(block) {
            let low = max(range.lowerBound, block.lowerBound)
            let high = min(range.upperBound, block.upperBound)
            split(low, high, into: &sequences)
        }
        return sequences
    }

    /// Splits a range until each of its bytes can vary independently.
    private static func split(
        _ low: UInt32, _ high: UInt32, into sequences: inout [[ClosedRange<UInt8>]]
    ) {
        let (first, last) = (encode(low), encode(high))
        for following in 1..<4 where following < first.count {
            let mask: UInt32 = (1 << (6 * UInt32(following))) - 1
            guard low & ~mask != high & ~mask else { continue }
            if low & mask != 0 {
                split(low, low | mask, into: &sequences)
                split((low | mask) + 1, high, into: &sequences)
                return
            }
            if high & mask != mask {
                split(low, (high & ~mask) - 1, into: &sequences)
                split(high & ~mask, high, into: &sequences)
                return
            }
        }
        sequences.append(zip(first, last).map { $0...$1 })
    }

    private static func encode(_ value: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        UTF8Scalar.append(value, to: &bytes)
        return bytes
    }
}
