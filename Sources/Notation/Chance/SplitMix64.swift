/// Numbers from a seed: the same seed gives the same numbers.
///
/// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
package struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
    private var state: UInt64

    /// The numbers that follow from `seed`.
    package init(seed: UInt64) { state = seed }

    /// The next number, each as likely as any other.
    package mutating func next() -> UInt64 {
        state &+= Self.step
        return Self.mixed(state)
    }

    /// A fraction in 0..<1, of the 53 bits that a double can hold.
    package mutating func nextFraction() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// What one number becomes: numbers that are near each other do not look alike.
    package static func hash(_ number: UInt64) -> UInt64 { mixed(number &+ step) }

    /// What is added from one number to the next.
    package static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// The function that makes a number of the generator's state.
    package static func mixed(_ state: UInt64) -> UInt64 {
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
