import Capturing
import Testing

@Suite("What the writer writes, the parser reads")
struct PcapngWriterTests {
    @Test func `packets, interfaces and secrets`() {
        var writer = PcapngWriter(application: "tapedeck")
        let raw = writer.addInterface(.rawIP, name: "made up")
        let ethernet = writer.addInterface(.ethernet, name: "lo", snapLength: 96)
        writer.addSecrets(Array("CLIENT_RANDOM 00 11\n".utf8))
        var bytes = writer.take()
        let first = PacketSamples.packet([1, 2, 3])
        writer.addPacket(
            first, interface: raw, atUnixNanoseconds: PacketSamples.time, direction: .outbound,
            comment: "a remark")
        writer.addPacket([1], interface: ethernet, atUnixNanoseconds: -5, originalLength: 1000)
        bytes += writer.take()
        #expect(writer.bytes.isEmpty && writer.interfaces == 2)

        let (items, counts, error) = PcapngParserTests.read(bytes)
        #expect(error == nil)
        #expect(
            items == [
                .secrets(Array("CLIENT_RANDOM 00 11\n".utf8)),
                .packet(
                    CapturedPacket(
                        link: .rawIP, bytes: first[...], atUnixNanoseconds: PacketSamples.time)),
                .packet(
                    CapturedPacket(
                        link: .ethernet, bytes: [1], originalLength: 1000, atUnixNanoseconds: 0)),
            ])
        #expect(counts.interfaces == 2 && counts.cutOffBytes == 0)
    }

    @Test func `a long remark is cut between characters`() {
        var writer = PcapngWriter(application: String(repeating: "x", count: 70_000))
        let number = writer.addInterface(.rawIP)
        writer.addPacket(
            [1, 2, 3, 4], interface: number, atUnixNanoseconds: 0,
            comment: "x" + String(repeating: "é", count: 40_000))
        let bytes = writer.bytes
        let (items, _, error) = PcapngParserTests.read(bytes)
        #expect(error == nil && items.count == 1)
        // 32 767 characters of two bytes and one of one byte are all that fits.
        let lengthOfComment = bytes.dropFirst(12 + 16 + 4 + 65_536 + 4 + 8 + 8 + 12 + 4)
        #expect(!lengthOfComment.isEmpty)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.count { $0 == "é" } == 32_767)
    }
}
