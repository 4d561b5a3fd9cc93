/// Finds the IP packet in a captured one.
///
/// Source: the pages that <https://www.tcpdump.org/linktypes.html> links to; IEEE 802.1Q for tags.
enum LinkHeader {
    /// The maximum number of VLAN tags that are skipped; hardware adds two.
    static let maxTags = 8

    /// Where IP begins, and in which version.
    struct Payload: Equatable {
        var isVersion4: Bool
        /// In bytes from the beginning of the packet; there is at least one byte.
        var start: Int
    }

    /// Reads what comes before IP.
    ///
    /// - Throws: Why there is nothing to decode; `.linkType` where the link type is not read.
    static func parse(_ packet: CapturedPacket) throws(IgnoringReason) -> Payload {
        let bytes = packet.bytes.span
        switch packet.link {
        case .ethernet:
            return try typed(bytes, typeAt: 12, start: 14, packet.tooShort)
        case .linuxCooked:
            guard bytes.count >= 16 else { throw packet.tooShort }
            guard isEthernetLike(bytes.big16(2)) else { throw .notInternet }
            return try typed(bytes, typeAt: 14, start: 16, packet.tooShort)
        case .linuxCooked2:
            guard bytes.count >= 20 else { throw packet.tooShort }
            guard isEthernetLike(bytes.big16(8)) else { throw .notInternet }
            return try typed(bytes, typeAt: 0, start: 20, packet.tooShort)
        case .null, .loop:
            guard bytes.count >= 4 else { throw packet.tooShort }
            return try internet(bytes, 4, try family(bytes.big32(0)), packet.tooShort)
        case .rawIP, LinkType(rawValue: 12), LinkType(rawValue: 14):
            return try internet(bytes, 0, nil, packet.tooShort)
        case .version4:
            return try internet(bytes, 0, true, packet.tooShort)
        case .version6:
            return try internet(bytes, 0, false, packet.tooShort)
        default:
            throw .linkType
        }
    }

    /// Whether the protocol of a cooked packet from this kind of device is an Ethernet type; on
    /// netlink (824) it is not.
    private static func isEthernetLike(_ device: UInt16) -> Bool { device != 824 }

    /// Goes by an Ethernet type, after tags.
    private static func typed(
        _ bytes: Span<UInt8>, typeAt: Int, start: Int, _ tooShort: IgnoringReason
    ) throws(IgnoringReason) -> Payload {
        var start = start
        guard bytes.count >= start else { throw tooShort }
        var type = bytes.big16(typeAt)
        for _ in 0...maxTags {
            switch type {
            case 0x8100, 0x88A8, 0x9100, 0x9200:
                // Two bytes of tag, then the type of what follows.
                guard bytes.count >= start + 4 else { throw tooShort }
                type = bytes.big16(start + 2)
                start += 4
            case 0x0800: return try internet(bytes, start, true, tooShort)
            case 0x86DD: return try internet(bytes, start, false, tooShort)
            case 0x0806: throw .arp
            default: throw .notInternet
            }
        }
        throw .malformed
    }

    /// Whether a protocol family is that of version 4; the number of version 6 is another on every
    /// system, and the byte order is that of the machine that captured.
    private static func family(_ number: UInt32) throws(IgnoringReason) -> Bool {
        switch number > 0xFFFF ? number.byteSwapped : number {
        case 2: return true
        case 10, 24, 28, 30: return false
        default: throw .notInternet
        }
    }

    /// Compares the version in the header with that of the packet.
    private static func internet(
        _ bytes: Span<UInt8>, _ start: Int, _ isVersion4: Bool?, _ tooShort: IgnoringReason
    ) throws(IgnoringReason) -> Payload {
        guard start < bytes.count else { throw tooShort }
        let version = bytes[start] >> 4
        guard version == 4 || version == 6 else {
            throw isVersion4 == nil ? .notInternet : .malformed
        }
        guard isVersion4 ?? (version == 4) == (version == 4) else { throw .malformed }
        return Payload(isVersion4: version == 4, start: start)
    }
}
