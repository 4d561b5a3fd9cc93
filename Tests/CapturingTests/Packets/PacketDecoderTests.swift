import Capturing
import Testing

@Suite("A packet becomes the segment that it holds")
struct PacketDecoderTests {
    @Test(arguments: [true, false], [0, 1, 1000])
    func `as it was built`(isVersion4: Bool, count: Int) {
        let segment = PacketSamples.segment(
            PacketSamples.counting(count), isVersion4: isVersion4)
        let (read, counts) = PacketSamples.decode(PacketSamples.packet(segment))
        #expect(read == segment)
        #expect(counts.used == 1 && counts.segments == 1 && counts.addsUp)
    }

    @Test func `mixed versions are mapped`() {
        let packet = PacketBuilder.packet(
            source: PacketSamples.client4, destination: PacketSamples.server6, sequence: 1,
            flags: .syn)
        let source = PacketSamples.decode(packet).segment?.source
        #expect(source == Endpoint(IPAddress(version6: 0, 0xFFFF_0A00_0001), 50_000))
    }

    /// What stands before IP, with the link type; a tag is two bytes of type and two of number.
    static let links: [(LinkType, [UInt8])] = [
        (.ethernet, [2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0]),
        (.ethernet, [2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x81, 0, 0, 5, 8, 0]),
        (
            .ethernet,
            [2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xA8, 0, 5, 0x91, 0, 0, 6, 8, 0]
        ),
        (.linuxCooked, [0, 0, 3, 4, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0]),
        (.linuxCooked, [0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0x81, 0, 0, 5, 8, 0]),
        (.linuxCooked2, [8, 0, 0, 0, 0, 0, 0, 1, 3, 4, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0]),
        (.null, [2, 0, 0, 0]),
        (.null, [0, 0, 0, 2]),
        (.loop, [0, 0, 0, 2]),
        (.rawIP, []),
        (LinkType(rawValue: 12), []),
        (LinkType(rawValue: 14), []),
        (.version4, []),
    ]

    @Test(arguments: links)
    func `behind what stands before IP`(link: LinkType, prefix: [UInt8]) {
        let segment = PacketSamples.segment([1, 2, 3])
        let packet = prefix + PacketSamples.packet(segment)
        #expect(PacketSamples.decode(packet, link).segment == segment)
        // Each byte less is one that the capture cut off, and no other thing.
        for count in 0..<packet.count {
            let (cut, counts) = PacketSamples.decode(
                Array(packet.prefix(count)), link, originalLength: packet.count)
            #expect(counts.addsUp)
            if let cut {
                #expect(cut.payload.count + cut.cutOff == 3)
            } else {
                #expect(counts.ignored == [.headersCutOff: 1])
            }
        }
    }

    @Test(arguments: [10, 24, 28, 30] as [UInt8])
    func `version 6 has another number on every system`(family: UInt8) {
        let segment = PacketSamples.segment([9], isVersion4: false)
        let packet = [0, 0, 0, family] + PacketSamples.packet(segment)
        #expect(PacketSamples.decode(packet, .loop).segment == segment)
    }

    @Test func `padding is no payload`() {
        let segment = PacketSamples.segment([])
        let frame = PacketBuilder.ethernet(PacketSamples.packet(segment))
        #expect(frame.count == 60)
        #expect(PacketSamples.decode(frame, .ethernet).segment == segment)
    }

    @Test func `what the capture cut off is counted`() {
        let packet = PacketSamples.packet(PacketSamples.counting(100))
        let (segment, counts) = PacketSamples.decode(
            Array(packet.prefix(70)), originalLength: packet.count)
        #expect(segment?.payload.count == 30)
        #expect(segment?.cutOff == 70)
        #expect(counts.cutOffSegments == 1 && counts.cutOffBytes == 70)
    }

    @Test func `a length of 0 means all there is`() {
        var packet = PacketSamples.packet(PacketSamples.counting(100))
        packet[2] = 0
        packet[3] = 0
        let segment = PacketSamples.decode(packet, originalLength: packet.count + 5).segment
        #expect(segment?.payload.count == 100)
        #expect(segment?.cutOff == 5)
        let endless = PacketSamples.decode(packet, originalLength: 1 << 30)
        #expect(endless.counts.ignored == [.malformed: 1])
    }

    @Test func `options are skipped`() {
        var packet = PacketSamples.packet([1, 2, 3, 4, 5, 6, 7, 8])
        packet[32] = 7 << 4
        #expect(PacketSamples.decode(packet).segment?.payload == [])
        packet[32] = 6 << 4
        #expect(PacketSamples.decode(packet).segment?.payload == [5, 6, 7, 8])
        packet[32] = 8 << 4
        #expect(PacketSamples.decode(packet).counts.ignored == [.malformed: 1])
    }

    /// Extension headers, the kind of the first, and whether TCP is found behind.
    static let extensions: [([UInt8], UInt8, IgnoringReason?)] = [
        ([6, 0, 0, 0, 0, 0, 0, 0], 0, nil),
        ([6, 1] + [UInt8](repeating: 0, count: 14), 60, nil),
        ([43, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0], 0, nil),
        ([6, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 51, nil),
        ([6, 0, 0, 0, 0, 0, 0, 9], 44, nil),
        ([6, 0xFF, 0, 0, 0, 0, 0, 0], 0, .malformed),
        ([17, 0, 0, 0, 0, 0, 0, 0], 0, .udp),
        ([], 50, .encrypted), ([], 59, .noNextHeader), ([], 58, .icmp), ([], 41, .tunnel),
        ([], 132, .otherProtocol),
        ([UInt8](repeating: 0, count: 8 * 17), 0, .tooManyHeaders),
    ]

    @Test(arguments: extensions)
    func `extension headers are skipped`(
        headers: [UInt8], first: UInt8, reason: IgnoringReason?
    ) {
        let segment = PacketSamples.segment([1, 2, 3], isVersion4: false)
        var packet = PacketSamples.packet(segment)
        packet.insert(contentsOf: headers, at: 40)
        packet[5] += UInt8(headers.count)
        packet[6] = first
        let (read, counts) = PacketSamples.decode(packet)
        #expect(read == (reason == nil ? segment : nil))
        #expect(counts.ignored == (reason.map { [$0: 1] } ?? [:]))
    }

    /// Bytes of an Ethernet frame of version 4 that are changed, and what is said then.
    static let changes: [([Int: UInt8], IgnoringReason)] = [
        ([12: 8, 13: 6], .arp), ([12: 0, 13: 40], .notInternet), ([12: 0x88], .notInternet),
        ([12: 0x86, 13: 0xDD], .malformed), ([14: 0x55], .malformed), ([14: 0x44], .malformed),
        ([16: 0, 17: 19], .malformed), ([23: 17], .udp), ([23: 1], .icmp), ([23: 4], .tunnel),
        ([23: 47], .tunnel), ([23: 50], .encrypted), ([23: 89], .otherProtocol),
        ([46: 4 << 4], .malformed), ([46: 15 << 4], .malformed), ([16: 0, 17: 39], .malformed),
    ]

    @Test(arguments: changes)
    func `what is ignored says why`(changes: [Int: UInt8], reason: IgnoringReason) {
        var frame = PacketBuilder.ethernet(PacketSamples.packet([1, 2, 3]))
        for (place, byte) in changes { frame[place] = byte }
        let (segment, counts) = PacketSamples.decode(frame, .ethernet)
        #expect(segment == nil)
        #expect(counts.ignored == [reason: 1])
    }

    @Test func `link types that are not read are counted each`() {
        let (_, counts) = PacketSamples.decode([1, 2, 3], LinkType(rawValue: 147))
        #expect(counts.unreadLinkTypes == [LinkType(rawValue: 147): 1])
        #expect(counts.ignored == [.linkType: 1])
    }

    @Test func `every reason has words and a stable name of its own`() {
        let names = IgnoringReason.allCases.map(\.rawValue)
        #expect(Set(names).count == names.count)
        #expect(Set(IgnoringReason.allCases.map(\.phrase)).count == names.count)
        #expect(names.allSatisfy { $0.allSatisfy { $0.isLowercase || $0 == "-" } })
    }

    /// A SYN with options that Linux sent over its loopback, as tcpdump wrote it.
    @Test func `a packet that we did not build`() {
        let digits = """
            00000000000000000000000008004500003cc09b400040067c1e7f0000017f000001\
            83a8494d73f437ca00000000a002ffd7fe3000000204ffd70402080aa26ef188000000000103030a
            """
        let frame = stride(from: 0, to: digits.count, by: 2).compactMap { place in
            UInt8(digits.dropFirst(place).prefix(2), radix: 16)
        }
        let segment = PacketSamples.decode(frame, .ethernet).segment
        #expect(segment?.source.description == "127.0.0.1:33704")
        #expect(segment?.destination.description == "127.0.0.1:18765")
        #expect(segment?.sequence == 0x73F4_37CA)
        #expect(segment?.flags == .syn)
        #expect(segment?.payload == [])
        #expect(segment?.cutOff == 0)
    }
}
