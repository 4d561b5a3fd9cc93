/// What a pcapng section says of one interface.
struct PcapngInterface: Hashable {
    /// What its packets begin with.
    var link: LinkType
    /// Bytes of a packet that were captured at most; 0 for all.
    var snapLength: UInt32
    /// Unit of its times: 10 to the minus this in seconds, or 2 where the highest bit is set.
    var resolution: UInt8 = 6
    /// Seconds to add to its times.
    var offsetSeconds: Int64 = 0

    /// A time of this interface in nanoseconds since 1970 UTC; one that cannot be told in 0 or more
    /// of them becomes the nearest that can.
    func unixNanoseconds(_ ticks: UInt64) -> Int64 {
        let exponent = Int(resolution & 0x7F)
        let nanoseconds: Int128
        if resolution & 0x80 != 0 {
            nanoseconds = Int128((UInt128(ticks) * 1_000_000_000) >> exponent)
        } else if exponent <= 9 {
            nanoseconds = Int128(ticks) * Int128(Self.power(9 - exponent))
        } else {
            // Below a nanosecond; behind 28 digits nothing is left of 64 bits.
            nanoseconds = Int128(ticks) / Int128(Self.power(min(exponent - 9, 19)))
        }
        let time = nanoseconds + Int128(offsetSeconds) * 1_000_000_000
        return Int64(clamping: max(0, time))
    }

    /// 10 to this power, which is 19 at most.
    private static func power(_ exponent: Int) -> UInt64 {
        (0..<exponent).reduce(1) { power, _ in power * 10 }
    }
}
