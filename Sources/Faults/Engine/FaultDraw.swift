import Notation

/// The random draw that decides whether a rule acts: it depends on the seed, the rule and the
/// occurrence alone.
package enum FaultDraw {
    /// The draw for one occurrence of a rule in a scope.
    ///
    /// It depends on these four alone, so that the order in which connections come changes nothing.
    ///
    /// - Parameters:
    ///   - seed: Seed of the session.
    ///   - rule: Name of the rule.
    ///   - scope: Value of the scope, empty where over all.
    ///   - occurrence: Ordinal of the event in this scope, from 1.
    /// - Returns: The draw.
    package static func draw(
        seed: UInt64, rule: String, scope: String, occurrence: Int64
    ) -> UInt64 {
        var state = SplitMix64.hash(seed)
        for text in [rule, scope] { state = SplitMix64.hash(state ^ FNV1a.hash(text.utf8)) }
        return SplitMix64.hash(state ^ UInt64(bitPattern: occurrence))
    }

    /// Whether something with this probability, in 0...1, happens with this draw.
    ///
    /// What an action draws from the same number later is independent of the outcome.
    static func happens(_ probability: Double, draw: UInt64) -> Bool {
        // The 53 bits that a double can hold: 0 up to but without 1.
        Double(SplitMix64.mixed(draw ^ 0xD1B5_4A32_D192_ED03) >> 11) * 0x1p-53 < probability
    }
}
