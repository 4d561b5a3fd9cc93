internal import Capturing

extension Harness {
    static let packets: [Harness] = [packet, pcapng]

    /// Link types that the first byte chooses from.
    private static let links: [LinkType] = [
        .ethernet, .rawIP, .linuxCooked, .linuxCooked2, .null, .loop, .version4, .version6,
        LinkType(rawValue: 147),
    ]

    /// Decodes packets of one link type: each begins with its length, seconds and how much was cut
    /// off, a byte each.
    private static let packet = Harness(name: "packet", longest: 2048) { bytes in
        var input = Input(bytes)
        let link = links[Int(input.choice()) % links.count]
        var decoder = PacketDecoder()
        var moved = PacketDecoder()
        while !input.rest.isEmpty {
            let length = Int(input.choice())
            let time = Int64(input.choice()) * 1_000_000_000
            let cut = Int(input.choice())
            let content = input.take(length)
            let segment = decoder.decode(
                CapturedPacket(
                    link: link, bytes: content, originalLength: content.count + cut,
                    atUnixNanoseconds: time))
            demand(decoder.counts.addsUp, "every packet is in one place: \(decoder.counts)")
            if let segment {
                demand(
                    (0...PacketDecoder.longestPacket).contains(
                        segment.payload.count + segment.cutOff),
                    "a segment is no longer than a packet")
            }
            // Where the bytes are in an array makes no difference.
            let again = moved.decode(
                CapturedPacket(
                    link: link, bytes: Array(content)[...], originalLength: content.count + cut,
                    atUnixNanoseconds: time))
            demand(segment == again, "moved it is the same")
        }
        decoder.finish()
        demand(decoder.counts.addsUp && decoder.counts.waiting == 0, "nothing waits at the end")
    }

    /// Reads a pcapng file at once and in pieces, and the packets in it.
    private static let pcapng = Harness(name: "pcapng", longest: 4096) { bytes in
        var dice = Dice(bytes)
        let whole = read(bytes, [0..<bytes.count])
        let pieces = read(bytes, dice.cut(bytes.count))
        demandSame(whole.items, pieces.items, "cuts change nothing of a file")
        demand(whole.counts == pieces.counts, "cuts change no counts")
        demand(whole.error == pieces.error, "cuts change no error")

        var decoder = PacketDecoder()
        var writer = PcapngWriter(application: "fuzz")
        var interfaces: [LinkType: Int] = [:]
        var written: [CaptureItem] = []
        for item in whole.items {
            switch item {
            case .packet(let packet):
                _ = decoder.decode(packet)
                let number = interfaces[packet.link] ?? writer.addInterface(packet.link)
                interfaces[packet.link] = number
                writer.addPacket(
                    Array(packet.bytes), interface: number,
                    atUnixNanoseconds: packet.atUnixNanoseconds,
                    originalLength: packet.originalLength)
                written.append(item)
            case .secrets(let keyLog):
                writer.addSecrets(keyLog)
                written.append(item)
            case .strayPacket: break
            }
        }
        demand(decoder.counts.addsUp, "every packet is in one place: \(decoder.counts)")
        let file = writer.take()
        let again = read(file, [0..<file.count])
        demandSame(again.items, written, "written and read again it is the same")
        demand(again.error == nil, "what is written can be read")
    }

    private static func read(
        _ bytes: [UInt8], _ pieces: [Range<Int>]
    ) -> (items: [CaptureItem], counts: BlockCounts, error: PcapngError?) {
        var parser = PcapngParser()
        var items: [CaptureItem] = []
        do throws(PcapngError) {
            for piece in pieces {
                parser.append(bytes[piece])
                while let item = try parser.next() { items.append(item) }
            }
        } catch {
            return (items, parser.counts, error)
        }
        parser.finish()
        return (items, parser.counts, nil)
    }
}
