/// Random numbers that depend on the input alone, so that a failure comes again.
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    /// Dice for one input.
    init(_ bytes: [UInt8]) {
        // FNV-1a: the same in every process, which `Hasher` is not.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        state = hash
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Ranges that cover `count` bytes in order: short ones, long ones or a mixture.
    mutating func cut(_ count: Int) -> [Range<Int>] {
        let longest = [1, 3, 17, 200, max(1, count)][Int(next() % 5)]
        var pieces: [Range<Int>] = []
        var start = 0
        while start < count {
            let end = min(count, start + Int(next() % UInt64(longest)) + 1)
            pieces.append(start..<end)
            start = end
        }
        return pieces
    }
}
