/// An address of version 4 or 6 of the Internet protocol.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address as 128 bits, most significant first; a version 4 address is in the last 32.
    public let high: UInt64, low: UInt64
    /// Whether it is one of version 4.
    public let isVersion4: Bool

    /// The version 4 address with these 32 bits.
    public init(version4 bits: UInt32) {
        high = 0
        low = UInt64(bits)
        isVersion4 = true
    }

    /// The version 6 address with these 128 bits.
    public init(version6 high: UInt64, _ low: UInt64) {
        self.high = high
        self.low = low
        isVersion4 = false
    }

    /// The address as text, version 6 according to RFC 5952, without brackets.
    public var description: String {
        if isVersion4 {
            return [24, 16, 8, 0].map { String(low >> UInt64($0) & 0xFF) }.joined(separator: ".")
        }
        let groups = (0..<8).map { index -> UInt64 in
            let half = index < 4 ? high : low
            return half >> UInt64(48 - 16 * (index % 4)) & 0xFFFF
        }
        // The longest run of zeros, the first of equals, at least two (RFC 5952, 4.2).
        var longest = 0..<0
        var start = 0
        while start < groups.count {
            var end = start
            while end < groups.count, groups[end] == 0 { end += 1 }
            if end - start > max(1, longest.count) { longest = start..<end }
            start = max(end, start + 1)
        }
        func text(_ range: Range<Int>) -> String {
            groups[range].map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard !longest.isEmpty else { return text(0..<8) }
        return text(0..<longest.lowerBound) + "::" + text(longest.upperBound..<8)
    }
}
