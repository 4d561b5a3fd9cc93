/// Where the change versions of a bucket come from: a sequence without end that never repeats.
///
/// 24 hexadecimal digits each, as those of Simperium: ten that tell one sequence from another and
/// fourteen that count. Clients must take them for opaque. The same seed gives the same sequence.
public struct ChangeVersions: Hashable, Sendable {
    /// Change versions that come before the made ones, in order; for playing a recording again.
    public var listed: [String]
    /// What tells this sequence from others: 40 bits.
    let tag: UInt64
    private var count: UInt64
    private var used = 0

    /// A sequence.
    ///
    /// - Parameters:
    ///   - seed: Decides everything.
    ///   - listed: Change versions that come first.
    public init(seed: UInt64, listed: [String] = []) {
        self.listed = listed
        // Two steps of SplitMix64, so that seeds that are near each other do not look alike.
        tag = Self.mixed(seed) >> 24
        count = Self.mixed(seed &+ 1) >> 16
    }

    /// The next change version.
    public mutating func next() -> String {
        if used < listed.count {
            used += 1
            return listed[used - 1]
        }
        count &+= 1
        return Self.digits(count & 0xFF_FFFF_FFFF_FFFF, 14) + Self.digits(tag, 10)
    }

    private static func mixed(_ seed: UInt64) -> UInt64 {
        var z = seed &+ 0x9E37_79B9_7F4A_7C15
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }

    /// The last `count` hexadecimal digits of a number.
    static func digits(_ value: UInt64, _ count: Int) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: max(count - text.utf8.count, 0)) + text
    }
}
