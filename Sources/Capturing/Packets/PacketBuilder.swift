/// Packets synthesized around bytes, with valid lengths and checksums.
public enum PacketBuilder {
    /// Longest payload of one packet in bytes: what 16 bits of length leave beside two headers.
    public static let longestPayload = 65_495

    /// A TCP segment in an IP packet with nothing before it, for ``LinkType/rawIP``.
    ///
    /// Neither header has options. Where one end has an address of version 4 and the other one of
    /// version 6, the former is written as an IPv4-mapped one (RFC 4291, 2.5.5.2).
    ///
    /// - Parameters:
    ///   - source: Who sends.
    ///   - destination: The receiver.
    ///   - sequence: Number of the payload's first byte, or of the SYN.
    ///   - acknowledgment: The number that the sender expects next; `flags` have whether it counts.
    ///   - flags: Control bits.
    ///   - window: What the sender would take, in bytes.
    ///   - payload: At most ``longestPayload`` bytes.
    /// - Returns: All bytes of the packet.
    public static func packet(
        source: Endpoint, destination: Endpoint, sequence: UInt32, acknowledgment: UInt32 = 0,
        flags: TCPSegment.Flags, window: UInt16 = 65_535, payload: ArraySlice<UInt8> = []
    ) -> [UInt8] {
        precondition(payload.count <= longestPayload, "no packet holds \(payload.count) bytes")
        let isVersion4 = source.address.isVersion4 && destination.address.isVersion4
        let from = bytes(of: source.address, asVersion4: isVersion4)
        let to = bytes(of: destination.address, asVersion4: isVersion4)

        var segment: [UInt8] = []
        segment.reserveCapacity(20 + payload.count)
        segment.append(big: source.port)
        segment.append(big: destination.port)
        segment.append(big: sequence)
        segment.append(big: acknowledgment)
        segment += [5 << 4, flags.rawValue]
        segment.append(big: window)
        segment += [0, 0, 0, 0]
        segment += payload

        // The pseudo header counts in either version: addresses, length and protocol.
        var checksum = InternetChecksum()
        checksum.add(from)
        checksum.add(to)
        checksum.add(word: UInt16(segment.count))
        checksum.add(word: 6)
        checksum.add(segment)
        segment[16] = UInt8(checksum.value >> 8)
        segment[17] = UInt8(checksum.value & 0xFF)

        var packet =
            isVersion4
            ? header4(from: from, to: to, count: segment.count)
            : header6(from: from, to: to, count: segment.count)
        packet += segment
        return packet
    }

    /// The same packet in a frame for ``LinkType/ethernet``, between two made-up stations.
    ///
    /// - Parameters:
    ///   - packet: An IP packet of either version, at least one byte.
    ///   - tags: Virtual networks (802.1Q), the outermost first.
    /// - Returns: The frame without its check sequence, padded to the 60 bytes that the wire demands.
    public static func ethernet(_ packet: [UInt8], tags: [UInt16] = []) -> [UInt8] {
        var frame: [UInt8] = [2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1]
        for tag in tags {
            frame.append(big: 0x8100 as UInt16)
            frame.append(big: tag)
        }
        let isVersion6 = packet.first.map { $0 >> 4 == 6 } ?? false
        frame.append(big: (isVersion6 ? 0x86DD : 0x0800) as UInt16)
        frame += packet
        frame += [UInt8](repeating: 0, count: max(0, 60 - frame.count))
        return frame
    }

    private static func header4(from: [UInt8], to: [UInt8], count: Int) -> [UInt8] {
        var header: [UInt8] = [4 << 4 | 5, 0]
        header.append(big: UInt16(20 + count))
        // Number 0 and "do not fragment": the packet is in no need of a number (RFC 6864).
        header += [0, 0, 0x40, 0, 64, 6, 0, 0]
        header += from + to
        var checksum = InternetChecksum()
        checksum.add(header)
        header[10] = UInt8(checksum.value >> 8)
        header[11] = UInt8(checksum.value & 0xFF)
        return header
    }

    private static func header6(from: [UInt8], to: [UInt8], count: Int) -> [UInt8] {
        var header: [UInt8] = [6 << 4, 0, 0, 0]
        header.append(big: UInt16(count))
        header += [6, 64]
        return header + from + to
    }

    private static func bytes(of address: IPAddress, asVersion4: Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        if asVersion4 {
            bytes.append(big: UInt32(truncatingIfNeeded: address.low))
        } else {
            bytes.append(big: address.high)
            bytes.append(big: address.isVersion4 ? 0xFFFF << 32 | address.low : address.low)
        }
        return bytes
    }
}
