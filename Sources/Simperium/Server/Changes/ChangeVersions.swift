import Notation

/// Where the change versions of a bucket come from: a sequence without end that never repeats.
///
/// 24 hexadecimal digits each, as those of Simperium: ten that identify a sequence and fourteen
/// that count. Clients must take them for opaque. The same seed gives the same sequence.
public struct ChangeVersions: Hashable, Sendable {
    /// Change versions that come before the made ones, in order; for playing a recording again.
    public var listed: [String]
    /// The identifier of this sequence: 40 bits.
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
        tag = SplitMix64.hash(seed) >> 24
        count = SplitMix64.hash(seed &+ 1) >> 16
    }

    /// The next change version.
    public mutating func next() -> String {
        if used < listed.count {
            used += 1
            return listed[used - 1]
        }
        count &+= 1
        return Hexadecimal.text(count & 0xFF_FFFF_FFFF_FFFF, digits: 14)
            + Hexadecimal.text(tag, digits: 10)
    }
}
