/// Why nothing is made of a packet.
///
/// The raw values are stable: programs read them.
public enum IgnoringReason: String, Error, Hashable, Sendable, CaseIterable {
    /// Its link type is not read; ``PacketCounts/unreadLinkTypes`` lists which.
    case linkType = "link-type"
    /// It names an interface that the file does not describe.
    case unknownInterface = "unknown-interface"
    /// It is address resolution (ARP).
    case arp
    /// It carries neither version of IP; also Ethernet frames with a length instead of a type.
    case notInternet = "not-ip"
    /// The capture stopped before its headers ended.
    case headersCutOff = "headers-cut-off"
    /// Its headers contradict themselves or each other.
    case malformed
    /// It has more IPv6 extension headers than are read; see ``PacketDecoder/maxExtensionHeaders``.
    case tooManyHeaders = "too-many-headers"
    /// A datagram of UDP.
    case udp
    /// A message of ICMP, of either version.
    case icmp
    /// IP in IP or in GRE, which is not opened.
    case tunnel
    /// IPsec's ESP, which is encrypted.
    case encrypted
    /// IPv6 with nothing after its headers.
    case noNextHeader = "no-next-header"
    /// Another protocol above IP.
    case otherProtocol = "other-protocol"
    /// A fragment that the capture cut.
    case fragmentCutOff = "fragment-cut-off"
    /// A fragment whose bytes were all there already.
    case fragmentRepeated = "fragment-repeated"
    /// Fragments that contradict each other; a receiver drops all of them too.
    case fragmentsContradict = "fragments-contradict"
    /// Fragments whose other parts did not come in time, or for which there was no room.
    case fragmentsIncomplete = "fragments-incomplete"

    /// The reason as text, to follow a number of packets.
    public var phrase: String {
        switch self {
        case .linkType: "of a link type that is not read"
        case .unknownInterface: "of an interface that the file does not describe"
        case .arp: "ARP"
        case .notInternet: "neither IPv4 nor IPv6"
        case .headersCutOff: "cut off within their headers by the capture"
        case .malformed: "with headers that contradict themselves"
        case .tooManyHeaders: "with too many IPv6 extension headers"
        case .udp: "UDP"
        case .icmp: "ICMP"
        case .tunnel: "a tunnel (IP in IP or GRE), which is not opened"
        case .encrypted: "encrypted by IPsec"
        case .noNextHeader: "IPv6 without content"
        case .otherProtocol: "of another protocol than TCP"
        case .fragmentCutOff: "fragments that the capture cut off"
        case .fragmentRepeated: "repeated fragments"
        case .fragmentsContradict: "fragments that contradict each other"
        case .fragmentsIncomplete: "fragments of packets of which other parts are missing"
        }
    }
}
