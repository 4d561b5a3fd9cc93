import Capturing

/// Packets that the tests of this folder begin with.
enum PacketSamples {
    static let client4 = Endpoint(IPAddress(version4: 0x0A00_0001), 50_000)
    static let server4 = Endpoint(IPAddress(version4: 0x0A00_0002), 80)
    static let client6 = Endpoint(IPAddress(version6: 0xFD00 << 48, 1), 50_000)
    static let server6 = Endpoint(IPAddress(version6: 0xFD00 << 48, 2), 443)
    static let time: Int64 = 1_700_000_000_123_456_789

    /// A segment with this payload between two addresses of one version.
    static func segment(_ payload: [UInt8], isVersion4: Bool = true) -> TCPSegment {
        TCPSegment(
            source: isVersion4 ? client4 : client6, destination: isVersion4 ? server4 : server6,
            sequence: 0xFFFF_FFF0, acknowledgment: 7, flags: [.ack, .psh], payload: payload[...],
            atUnixNanoseconds: time)
    }

    /// The raw IP packet of a segment.
    static func packet(_ segment: TCPSegment) -> [UInt8] {
        PacketBuilder.packet(
            source: segment.source, destination: segment.destination, sequence: segment.sequence,
            acknowledgment: segment.acknowledgment, flags: segment.flags, payload: segment.payload)
    }

    /// The raw IP packet of a segment with this payload.
    static func packet(_ payload: [UInt8], isVersion4: Bool = true) -> [UInt8] {
        packet(segment(payload, isVersion4: isVersion4))
    }

    /// What a new decoder makes of one packet.
    static func decode(
        _ bytes: [UInt8], _ link: LinkType = .rawIP, originalLength: Int? = nil
    ) -> (segment: TCPSegment?, counts: PacketCounts) {
        var decoder = PacketDecoder()
        let segment = decoder.decode(
            CapturedPacket(
                link: link, bytes: bytes[...], originalLength: originalLength,
                atUnixNanoseconds: time))
        decoder.finish()
        return (segment, decoder.counts)
    }

    /// Bytes 0, 1, 2 and so on.
    static func counting(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
    }
}
