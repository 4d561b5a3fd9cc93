/// Numbers from a seed: identifiers of changes and the jitter of pauses.
struct SeededNumbers {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// The next number (SplitMix64).
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// An identifier for a change: 32 hexadecimal digits.
    mutating func nextIdentifier() -> String { hexadecimal(next()) + hexadecimal(next()) }

    /// A fraction in 0..<1.
    mutating func nextFraction() -> Double { Double(next() >> 11) / Double(1 << 53) }

    private func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
