/// The headers of an IP packet, of either version.
///
/// Checksums are not verified: where a card computes them, packets are captured before it did.
struct InternetHeader: Equatable {
    /// Which part of a datagram a packet is.
    struct Fragment: Equatable {
        var identification: UInt32
        /// Place of its first byte in what was cut up, in bytes.
        var offset: Int
        /// Whether others come after it.
        var isFollowed: Bool
    }

    var source: IPAddress
    var destination: IPAddress
    /// The protocol above, or what kind of header the first fragment continues with.
    var upper: UInt8
    /// Place of what is above, as far as it was captured.
    var payload: Range<Int>
    /// Bytes behind ``payload`` that were not captured.
    var cutOff: Int
    /// nil for a packet that is whole.
    var fragment: Fragment?

    /// Reads the headers of the packet in which IP begins at `payload.start`.
    init(
        _ packet: CapturedPacket, _ payload: LinkHeader.Payload
    ) throws(IgnoringReason) {
        self =
            payload.isVersion4
            ? try Self.version4(packet, payload.start) : try Self.version6(packet, payload.start)
    }

    private init(
        source: IPAddress, destination: IPAddress, upper: UInt8, start: Int, end: Int, captured: Int
    ) {
        self.source = source
        self.destination = destination
        self.upper = upper
        let capturedEnd = max(start, min(end, captured))
        payload = start..<capturedEnd
        cutOff = end - capturedEnd
    }

    /// RFC 791, 3.1; RFC 6864 for the identification.
    private static func version4(
        _ packet: CapturedPacket, _ start: Int
    ) throws(IgnoringReason) -> InternetHeader {
        let bytes = packet.bytes.span
        guard bytes.count >= start + 20 else { throw packet.tooShort }
        let headerLength = Int(bytes[start] & 0xF) * 4
        // A network card that segments itself gets one of length 0: the captured bytes count.
        let said = Int(bytes.big16(start + 2))
        let length = said == 0 ? packet.originalLength - start : said
        guard headerLength >= 20, (headerLength...PacketDecoder.longestPacket).contains(length)
        else { throw .malformed }
        var header = InternetHeader(
            source: IPAddress(version4: bytes.big32(start + 12)),
            destination: IPAddress(version4: bytes.big32(start + 16)), upper: bytes[start + 9],
            start: start + headerLength, end: start + length, captured: bytes.count)
        guard bytes.count >= start + headerLength else { throw packet.tooShort }
        let place = bytes.big16(start + 6)
        let isFollowed = place & 0x2000 != 0
        if isFollowed || place & 0x1FFF != 0 {
            header.fragment = Fragment(
                identification: UInt32(bytes.big16(start + 4)), offset: Int(place & 0x1FFF) * 8,
                isFollowed: isFollowed)
        }
        return header
    }

    /// RFC 8200, 3.
    private static func version6(
        _ packet: CapturedPacket, _ start: Int
    ) throws(IgnoringReason) -> InternetHeader {
        let bytes = packet.bytes.span
        guard bytes.count >= start + 40 else { throw packet.tooShort }
        // Length 0 is that of a jumbogram or of what a card is to cut up: what is there counts.
        let said = Int(bytes.big16(start + 4))
        let end = said == 0 ? packet.originalLength : start + 40 + said
        guard end - start <= PacketDecoder.longestPacket else { throw .malformed }
        let above = try ExtensionHeaders.skip(
            bytes, from: start + 40, to: end, next: bytes[start + 6], tooShort: packet.tooShort)
        var header = InternetHeader(
            source: IPAddress(version6: bytes.big64(start + 8), bytes.big64(start + 16)),
            destination: IPAddress(version6: bytes.big64(start + 24), bytes.big64(start + 32)),
            upper: above.upper, start: above.start, end: end, captured: bytes.count)
        header.fragment = above.fragment
        return header
    }
}
