/// What the first bytes of a captured packet are, as a number of the registry of link types.
///
/// Source: <https://www.tcpdump.org/linktypes.html>; numbers that some systems write into files
/// instead of the registered ones mean the same here.
public struct LinkType: RawRepresentable, Hashable, Sendable {
    /// The number in the file.
    public let rawValue: UInt32

    /// The link type with this number, known or not.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A protocol family in the byte order of the machine that captured, then IP.
    public static let null = LinkType(rawValue: 0)
    /// Ethernet.
    public static let ethernet = LinkType(rawValue: 1)
    /// IP of either version, with nothing before it.
    public static let rawIP = LinkType(rawValue: 101)
    /// A protocol family in network byte order, then IP; OpenBSD's loopback.
    public static let loop = LinkType(rawValue: 108)
    /// What Linux gives where it captures on several interfaces at once.
    public static let linuxCooked = LinkType(rawValue: 113)
    /// IP version 4 with nothing before it.
    public static let version4 = LinkType(rawValue: 228)
    /// IP version 6 with nothing before it.
    public static let version6 = LinkType(rawValue: 229)
    /// ``linuxCooked`` with the interface's number.
    public static let linuxCooked2 = LinkType(rawValue: 276)
}
