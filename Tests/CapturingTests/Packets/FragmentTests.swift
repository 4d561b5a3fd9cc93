import Capturing
import Notation
import Testing

@Suite("Fragments are joined, within bounds")
struct FragmentTests {
    /// Cuts a whole raw packet into fragments of this many bytes above IP, a multiple of 8.
    static func fragments(_ packet: [UInt8], of size: Int, identification: UInt8 = 1) -> [[UInt8]] {
        let isVersion4 = packet[0] >> 4 == 4
        let header = Array(packet.prefix(isVersion4 ? 20 : 40))
        let above = Array(packet.dropFirst(header.count))
        return stride(from: 0, to: above.count, by: size).map { place in
            let part = above[place..<min(place + size, above.count)]
            let isFollowed = part.endIndex < above.count
            var fragment = header
            if isVersion4 {
                let length = 20 + part.count
                (fragment[2], fragment[3]) = (UInt8(length >> 8), UInt8(length & 0xFF))
                fragment[5] = identification
                let flags = (isFollowed ? 0x2000 : 0) | place / 8
                (fragment[6], fragment[7]) = (UInt8(flags >> 8), UInt8(flags & 0xFF))
            } else {
                let length = 8 + part.count
                (fragment[4], fragment[5]) = (UInt8(length >> 8), UInt8(length & 0xFF))
                fragment[6] = 44
                let flags = place | (isFollowed ? 1 : 0)
                fragment += [6, 0, UInt8(flags >> 8), UInt8(flags & 0xFF), 0, 0, 0, identification]
            }
            return fragment + part
        }
    }

    static func decode(
        _ decoder: inout PacketDecoder, _ packet: [UInt8], at seconds: Int64 = 0
    ) -> TCPSegment? {
        decoder.decode(
            CapturedPacket(
                link: .rawIP, bytes: packet[...], atUnixNanoseconds: seconds * 1_000_000_000))
    }

    @Test(arguments: [true, false], 0...9 as ClosedRange<UInt64>)
    func `in any order, some twice`(isVersion4: Bool, seed: UInt64) {
        var dice = SplitMix64(seed: seed)
        let payload = PacketSamples.counting(500)
        let all = Self.fragments(PacketSamples.packet(payload, isVersion4: isVersion4), of: 48)
        var order = all.shuffled(using: &dice)
        // Repeated before the last one comes; after it, the datagram is done with.
        order.insert(contentsOf: order.prefix(4), at: order.count - 1)
        var decoder = PacketDecoder()
        var segments: [TCPSegment] = []
        for packet in order {
            #expect(decoder.counts.segments == 0)
            if let segment = Self.decode(&decoder, packet) { segments.append(segment) }
        }
        #expect(segments.count == 1)
        #expect(segments.first?.payload == payload[...])
        #expect(decoder.counts.used == all.count)
        #expect(decoder.counts.ignored == [.fragmentRepeated: 4])
        #expect(decoder.counts.addsUp && decoder.counts.waiting == 0)
    }

    @Test func `overlapping ones spoil all`() {
        let all = Self.fragments(PacketSamples.packet(PacketSamples.counting(200)), of: 48)
        var overlapping = all[1]
        overlapping[7] -= 1
        var decoder = PacketDecoder()
        for packet in [all[0], all[2], overlapping] {
            #expect(Self.decode(&decoder, packet) == nil)
        }
        #expect(decoder.counts.ignored == [.fragmentsContradict: 3])
        #expect(decoder.counts.waiting == 0)
    }

    @Test func `two ends spoil all`() {
        let all = Self.fragments(PacketSamples.packet(PacketSamples.counting(200)), of: 48)
        var early = all[1]
        early[6] = 0
        for order in [[all[2], early], [early, all[2]], [early, all[4]]] {
            var decoder = PacketDecoder()
            for packet in order { #expect(Self.decode(&decoder, packet) == nil) }
            #expect(decoder.counts.ignored == [.fragmentsContradict: 2])
        }
    }

    @Test func `too late is too late`() {
        let all = Self.fragments(PacketSamples.packet(PacketSamples.counting(60)), of: 48)
        var decoder = PacketDecoder()
        #expect(Self.decode(&decoder, all[0]) == nil)
        #expect(Self.decode(&decoder, all[1], at: 31) == nil)
        #expect(decoder.counts.ignored == [.fragmentsIncomplete: 1])
        #expect(decoder.counts.waiting == 1)
        decoder.finish()
        #expect(decoder.counts.ignored == [.fragmentsIncomplete: 2])
    }

    @Test func `one that was cut is of no use`() {
        let all = Self.fragments(PacketSamples.packet(PacketSamples.counting(60)), of: 48)
        let cut = PacketSamples.decode(Array(all[0].dropLast()), originalLength: all[0].count)
        #expect(cut.counts.ignored == [.fragmentCutOff: 1])
        // A length that the next one's place cannot tell.
        var odd = all[0]
        odd[3] -= 1
        #expect(PacketSamples.decode(odd).counts.ignored == [.malformed: 1])
    }

    @Test func `what was joined and is not TCP counts for each`() {
        var packet = PacketSamples.packet(PacketSamples.counting(200))
        packet[9] = 17
        var decoder = PacketDecoder()
        let all = Self.fragments(packet, of: 48)
        for part in all { #expect(Self.decode(&decoder, part) == nil) }
        #expect(decoder.counts.ignored == [.udp: all.count])
    }

    @Test func `the number of datagrams is bounded`() {
        let first = Self.fragments(PacketSamples.packet(PacketSamples.counting(60)), of: 48)[0]
        var decoder = PacketDecoder()
        for number in 0..<PacketDecoder.maxDatagrams * 6 {
            var packet = first
            (packet[4], packet[5]) = (UInt8(number >> 8), UInt8(number & 0xFF))
            #expect(Self.decode(&decoder, packet) == nil)
        }
        #expect(decoder.counts.waiting == PacketDecoder.maxDatagrams)
        #expect(
            decoder.counts.ignored == [.fragmentsIncomplete: PacketDecoder.maxDatagrams * 5])
        #expect(decoder.counts.addsUp)
    }

    @Test func `the memory is bounded`() {
        // Each waits for its first fragment, and holds nearly all that a datagram can.
        var decoder = PacketDecoder()
        let large = PacketSamples.packet(PacketSamples.counting(60_000))
        for number in 0..<600 {
            var packet = large
            (packet[4], packet[5]) = (UInt8(number >> 8), UInt8(number & 0xFF))
            packet[7] = 1
            #expect(Self.decode(&decoder, packet) == nil)
        }
        #expect(decoder.counts.waiting * 60_000 < PacketDecoder.maxFragmentBytes)
        #expect(decoder.counts.waiting * 60_000 > PacketDecoder.maxFragmentBytes / 2)
    }
}
