import Capturing
import Notation
import Testing

@Suite("Every packet is counted in exactly one place")
struct PacketCountsTests {
    /// Packets that are damaged in a few places, some cut, some fragments.
    private static func packet(_ dice: inout SplitMix64) -> CapturedPacket {
        let isVersion4 = dice.below(2) == 0
        var bytes = PacketSamples.packet(
            PacketSamples.counting(8 * dice.below(6)), isVersion4: isVersion4)
        if dice.below(2) == 0 {
            if isVersion4 {
                bytes[6] = UInt8(dice.below(2) * 0x20)
                bytes[7] = UInt8(dice.below(6))
            } else {
                let place = dice.below(6) * 8 + dice.below(2)
                bytes.insert(contentsOf: [6, 0, 0, UInt8(place), 0, 0, 0, 1], at: 40)
                bytes[5] += 8
                bytes[6] = 44
            }
        }
        for _ in 0..<max(0, dice.below(5) - 2) {
            bytes[dice.below(bytes.count)] = UInt8(dice.below(256))
        }
        var link = LinkType.rawIP
        if dice.below(3) == 0 {
            bytes = PacketBuilder.ethernet(bytes, tags: dice.below(2) == 0 ? [] : [1, 2])
            link = .ethernet
        }
        let count = bytes.count
        if dice.below(8) == 0 { bytes.removeLast(dice.below(count)) }
        return CapturedPacket(
            link: link, bytes: bytes[...], originalLength: count,
            atUnixNanoseconds: Int64(dice.below(200)) * 1_000_000_000)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `whatever comes`(seed: UInt64) {
        var dice = SplitMix64(seed: seed)
        var decoder = PacketDecoder()
        var again = PacketDecoder()
        var given = 0
        for number in 1...500 {
            let packet = Self.packet(&dice)
            let segment = decoder.decode(packet)
            given += segment == nil ? 0 : 1
            // The same as part of something larger.
            let shifted = ([1, 2, 3] + packet.bytes + [4, 5])[3..<packet.bytes.count + 3]
            let moved = CapturedPacket(
                link: packet.link, bytes: shifted, originalLength: packet.originalLength,
                atUnixNanoseconds: packet.atUnixNanoseconds)
            #expect(again.decode(moved) == segment)
            #expect(decoder.counts.addsUp && decoder.counts.seen == number)
        }
        decoder.finish()
        #expect(decoder.counts.addsUp && decoder.counts.waiting == 0)
        #expect(decoder.counts.segments == given)
        #expect(given > 50 && decoder.counts.ignored.count > 4)
    }
}
