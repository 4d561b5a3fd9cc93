import Notation

extension SplitMix64 {
    /// An identifier for a change: 32 hexadecimal digits.
    mutating func nextIdentifier() -> String {
        Hexadecimal.text(next(), digits: 16) + Hexadecimal.text(next(), digits: 16)
    }
}
