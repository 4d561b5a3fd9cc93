/// Makes TCP segments of captured packets, and counts what happens to each.
///
/// A value without I/O. It opens Ethernet with tags, both kinds of Linux cooked packets, loopback
/// and raw IP; IP of both versions with options, extension headers and fragments. It does not open
/// tunnels, and it verifies no checksum: where the network card computes them, packets on their way
/// out are captured before it did, and every one would be invalid.
///
/// Fragments wait for the others for at most ``fragmentNanoseconds``, in no more than
/// ``maxDatagrams`` datagrams and ``maxFragmentBytes``; then the oldest are dropped.
public struct PacketDecoder {
    /// The maximum size of an IP packet in bytes, also of one without a stated length: 1 MiB; Linux
    /// passes at most half of that to a card for segmentation.
    public static let longestPacket = 1 << 20
    /// The maximum number of IPv6 extension headers that are skipped: 16.
    public static let maxExtensionHeaders = 16
    /// The maximum number of datagrams that wait for fragments: 1 024.
    public static let maxDatagrams = 1024
    /// The maximum memory for fragments: 16 MiB.
    public static let maxFragmentBytes = 16 << 20
    /// How long fragments wait for their others by the time of packets: 30 s, as in Linux.
    public static let fragmentNanoseconds: Int64 = 30_000_000_000

    /// The outcome of the packets.
    public private(set) var counts = PacketCounts()
    private var table = DatagramTable()

    /// A decoder that has seen nothing.
    public init() {}

    /// Processes a packet.
    ///
    /// - Returns: The segment that it is or completes; its payload is a part of the packet's bytes,
    ///   or separate where fragments were joined. nil where it is only in ``counts``.
    public mutating func decode(_ packet: CapturedPacket) -> TCPSegment? {
        counts.see()
        do throws(IgnoringReason) {
            let header = try InternetHeader(packet, try LinkHeader.parse(packet))
            if let fragment = header.fragment { return try join(packet, header, fragment) }
            let segment = try Self.segment(
                in: packet.bytes, header, header.payload, cutOff: header.cutOff,
                atUnixNanoseconds: packet.atUnixNanoseconds, tooShort: packet.tooShort)
            counts.use(segment, fragments: 0)
            return segment
        } catch {
            if error == .linkType {
                counts.ignore(unread: packet.link)
            } else {
                counts.ignore(error)
            }
            return nil
        }
    }

    /// Counts a packet that could not be given to ``decode(_:)``.
    mutating func ignore(_ reason: IgnoringReason) {
        counts.see()
        counts.ignore(reason)
    }

    /// Drops the waiting fragments: no packets follow.
    public mutating func finish() { counts.giveUp(table.finish(), .fragmentsIncomplete) }

    private mutating func join(
        _ packet: CapturedPacket, _ header: InternetHeader, _ fragment: InternetHeader.Fragment
    ) throws(IgnoringReason) -> TCPSegment? {
        guard header.cutOff == 0 else { throw .fragmentCutOff }
        let time = packet.atUnixNanoseconds
        counts.giveUp(table.makeRoom(atUnixNanoseconds: time), .fragmentsIncomplete)
        let first = packet.bytes.startIndex
        let content = packet.bytes[
            first + header.payload.lowerBound..<first + header.payload.upperBound]
        switch table.add(header, fragment, content, atUnixNanoseconds: time) {
        case .kept:
            counts.keep()
            return nil
        case .ignored(let reason):
            throw reason
        case .contradicted(let others):
            counts.giveUp(others, .fragmentsContradict)
            throw .fragmentsContradict
        case .complete(let whole, let upper, let others):
            var joined = header
            joined.upper = upper
            do throws(IgnoringReason) {
                let segment = try Self.segment(
                    in: whole[...], joined, 0..<whole.count, cutOff: 0, atUnixNanoseconds: time,
                    tooShort: .malformed)
                counts.use(segment, fragments: others)
                return segment
            } catch {
                counts.giveUp(others, error)
                throw error
            }
        }
    }

    /// Reads what is above IP, in `range` of `bytes`.
    private static func segment(
        in bytes: ArraySlice<UInt8>, _ header: InternetHeader, _ range: Range<Int>, cutOff: Int,
        atUnixNanoseconds: Int64, tooShort: IgnoringReason
    ) throws(IgnoringReason) -> TCPSegment {
        var upper = header.upper
        var range = range
        // In a datagram of version 6 that was cut up more headers may follow; in one of version 4
        // only the one that authenticates.
        if upper == 51 || !header.source.isVersion4 {
            let above = try ExtensionHeaders.skip(
                bytes.span, from: range.lowerBound, to: range.upperBound + cutOff, next: upper,
                tooShort: tooShort)
            guard above.fragment == nil else { throw .malformed }
            upper = above.upper
            guard above.start <= range.upperBound else { throw tooShort }
            range = above.start..<range.upperBound
        }
        switch upper {
        case 6:
            return try TCPHeader.segment(
                in: bytes, range, cutOff: cutOff, from: header.source, to: header.destination,
                atUnixNanoseconds: atUnixNanoseconds, tooShort: tooShort)
        case 17, 136: throw .udp
        case 1, 58: throw .icmp
        case 4, 41, 47: throw .tunnel
        case 50: throw .encrypted
        case 59: throw .noNextHeader
        default: throw .otherProtocol
        }
    }
}
