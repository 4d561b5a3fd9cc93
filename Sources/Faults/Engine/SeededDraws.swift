/// Chance that repeats: the same seed gives the same numbers.
///
/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
public struct SeededDraws: RandomNumberGenerator, Hashable, Sendable {
    private var state: UInt64

    /// The numbers that follow from `seed`.
    public init(seed: UInt64) { state = seed }

    /// The next number, each as likely as any other.
    public mutating func next() -> UInt64 {
        state &+= Self.step
        return Self.mixed(state)
    }

    /// The draw for one occurrence of a rule in a scope.
    ///
    /// It depends on these four alone, so that the order in which connections come changes nothing.
    ///
    /// - Parameters:
    ///   - seed: Seed of the session.
    ///   - rule: Name of the rule.
    ///   - scope: Value of the scope, empty where over all.
    ///   - occurrence: The how many-th event of this scope, from 1.
    /// - Returns: The draw.
    public static func draw(
        seed: UInt64, rule: String, scope: String, occurrence: Int64
    ) -> UInt64 {
        var state = mixed(seed &+ step)
        for text in [rule, scope] { state = mixed((state ^ digest(text)) &+ step) }
        return mixed((state ^ UInt64(bitPattern: occurrence)) &+ step)
    }

    /// Whether something with this probability, in 0...1, comes about with this draw.
    ///
    /// What an action draws from the same number later is independent of the outcome.
    static func comesAbout(_ probability: Double, draw: UInt64) -> Bool {
        // The 53 bits that a double can hold: 0 up to but without 1.
        Double(mixed(draw ^ 0xD1B5_4A32_D192_ED03) >> 11) * 0x1p-53 < probability
    }

    /// The 64 bits of FNV-1a.
    static func digest(_ text: String) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return hash
    }

    private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

    private static func mixed(_ value: UInt64) -> UInt64 {
        var value = value
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
