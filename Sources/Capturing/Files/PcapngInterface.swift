/// The description of one interface in a pcapng section.
struct PcapngInterface: Hashable {
    /// What its packets begin with.
    var link: LinkType
    /// The maximum number of captured bytes of a packet; 0 for no limit.
    var snapLength: UInt32
    /// Unit of its times: 10 to the minus this in seconds, or 2 where the highest bit is set.
    var resolution: UInt8 = 6
    /// Seconds to add to its times.
    var offsetSeconds: Int64 = 0

    /// A time of this interface in nanoseconds since 1970 UTC; one outside of the range becomes the
    /// nearest in it.
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

    /// 10 to this power, which is at most 19.
    private static func power(_ exponent: Int) -> UInt64 {
        (0..<exponent).reduce(1) { power, _ in power * 10 }
    }
}
