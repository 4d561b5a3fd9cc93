import Capturing
import Foundation
import Testing

@Suite("A file of packets is opened by what it holds")
struct CaptureFileTests {
    /// Writes a file for the time of a test.
    static func with<Result>(
        _ bytes: [UInt8], named name: String = "capture", _ body: (String) throws -> Result
    ) throws -> Result {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("capture-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent(name).path
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return try body(path)
    }

    static func all(_ path: String) throws -> (readings: [Reading], file: CaptureFile) {
        let file = try CaptureFile(path: path)
        var readings: [Reading] = []
        while let reading = try file.next() { readings.append(reading) }
        return (readings, file)
    }

    /// The error that opening and reading a file with these bytes gives.
    static func error(_ bytes: [UInt8]) throws -> CaptureError? {
        try with(bytes) { path in
            do {
                _ = try all(path)
                return nil
            } catch let error as CaptureError {
                return error
            }
        }
    }

    /// A pcap file as tcpdump writes it.
    static func pcap(
        _ packets: [[UInt8]], link: UInt64 = 101, magic: UInt64 = 0xA1B2_3C4D,
        isBigEndian: Bool = false, snapLength: UInt64 = 262_144
    ) -> [UInt8] {
        let order = PcapngSamples(isBigEndian: isBigEndian)
        var bytes = order.number(magic, 4) + order.number(2, 2) + order.number(4, 2)
        bytes += order.number(0, 8) + order.number(snapLength, 4) + order.number(link, 4)
        for packet in packets {
            bytes += order.number(3_000_000_000, 4) + order.number(123_456, 4)
            bytes += order.number(UInt64(packet.count), 4) + order.number(UInt64(packet.count), 4)
            bytes += packet
        }
        return bytes
    }

    @Test(arguments: [true, false], [0xA1B2_3C4D, 0xA1B2_C3D4] as [UInt64])
    func `pcap in either order and unit`(isBigEndian: Bool, magic: UInt64) throws {
        let packets = (0..<5).map { PacketSamples.packet(PacketSamples.counting($0)) }
        let bytes = Self.pcap(packets, magic: magic, isBigEndian: isBigEndian)
        // The name says something else, and is not asked.
        try Self.with(bytes, named: "packets.pcapng") { path in
            let (readings, file) = try Self.all(path)
            #expect(file.format == .pcap)
            #expect(file.size == bytes.count)
            #expect(file.counts.used == 5 && file.counts.addsUp)
            #expect(file.blocks.packets == 5 && file.blocks.cutOffBytes == 0)
            for (number, reading) in readings.enumerated() {
                var segment = PacketSamples.segment(PacketSamples.counting(number))
                // After 2038, as 32 bits without a sign tell it.
                segment.atUnixNanoseconds =
                    3_000_000_000_000_000_000 + (magic == 0xA1B2_3C4D ? 123_456 : 123_456_000)
                #expect(reading == .segment(segment))
            }
        }
    }

    @Test func `pcapng with secrets and more link types`() throws {
        var writer = PcapngWriter(application: "test")
        let raw = writer.addInterface(.rawIP)
        let ethernet = writer.addInterface(.ethernet)
        writer.addSecrets([1, 2])
        let segment = PacketSamples.segment(PacketSamples.counting(40_000))
        let packet = PacketSamples.packet(segment)
        // Several times what is read at once.
        for number in 0..<120 {
            writer.addPacket(
                number % 2 == 0 ? packet : PacketBuilder.ethernet(packet, tags: [5]),
                interface: number % 2 == 0 ? raw : ethernet,
                atUnixNanoseconds: segment.atUnixNanoseconds)
        }
        try Self.with(writer.take()) { path in
            let (readings, file) = try Self.all(path)
            #expect(file.format == .pcapng)
            #expect(readings.first == .secrets([1, 2]))
            #expect(readings.dropFirst().allSatisfy { $0 == .segment(segment) })
            #expect(file.counts.used == 120 && file.counts.seen == 120)
        }
    }

    @Test func `a stray packet is counted`() throws {
        try Self.with(PcapngParserTests.everything(isBigEndian: false)) { path in
            let counts = try Self.all(path).file.counts
            #expect(counts.addsUp && counts.seen == 6)
            #expect(counts.ignored[.unknownInterface] == 1)
        }
    }

    @Test func `a file that ends too early`() throws {
        let packet = PacketSamples.packet([1, 2, 3])
        let whole = Self.pcap([packet])
        let bytes = Self.pcap([packet, packet])
        for count in whole.count..<bytes.count {
            try Self.with(Array(bytes.prefix(count))) { path in
                let (readings, file) = try Self.all(path)
                #expect(readings.count == 1)
                #expect(file.blocks.cutOffBytes == Int64(count - whole.count))
                #expect(try file.next() == nil)
            }
        }
    }

    @Test func `a length that cannot be`() throws {
        var bytes = Self.pcap([PacketSamples.packet([1]), PacketSamples.packet([2])])
        let place = 24 + 16 + 41 + 8
        for index in place..<place + 4 { bytes[index] = 0x7F }
        bytes += [UInt8](repeating: 0, count: 100)
        let error = try #require(try Self.error(bytes))
        #expect(error.code == .malformed)
        #expect(error.reason.contains("byte \(24 + 16 + 41)"))
    }

    @Test(
        arguments: [
            ([], .unknownFormat, "empty"),
            (Array("hello".utf8), .unknownFormat, "68 65 6c 6c"),
            ([0x1F, 0x8B, 8, 0], .compressed, "gzip -d"),
            ([0x28, 0xB5, 0x2F, 0xFD], .compressed, "zstd -d"),
            (Array("snoop\0\0\0".utf8), .unknownFormat, "snoop"),
            (Array(#"{"log":"#.utf8), .unknownFormat, "HAR"),
            ([0xA1, 0xB2, 0xC3, 0xD4, 0], .malformed, "damaged"),
            (Array("\n\r\r\n".utf8) + [UInt8](repeating: 9, count: 20), .malformed, "byte 0"),
        ] as [([UInt8], CaptureError.Code, String)])
    func `what is refused says why`(bytes: [UInt8], code: CaptureError.Code, word: String) throws {
        let error = try #require(try Self.error(bytes))
        #expect(error.code == code)
        #expect(error.reason.contains(word))
    }

    @Test func `what is no file`() {
        #expect(throws: CaptureError(.cannotOpen, "")) { try CaptureFile(path: "/nowhere/at/all") }
        #expect(throws: CaptureError(.cannotOpen, "")) { try CaptureFile(path: "/") }
        #expect(throws: CaptureError(.cannotOpen, "")) { try CaptureFile(path: "/dev/null") }
    }

    @Test func `link types have names`() {
        #expect(LinkType.ethernet.description == "EN10MB (1)")
        #expect(LinkType(rawValue: 4_000_000_000).description == "link type 4000000000")
    }
}
