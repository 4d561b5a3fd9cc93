import Testing

@testable import Capturing

@Suite("A pcapng file is read block by block")
struct PcapngParserTests {
    /// Everything that a file gives when it comes in pieces of this size, and what was counted.
    static func read(
        _ bytes: [UInt8], in size: Int = .max
    ) -> (items: [CaptureItem], counts: BlockCounts, error: PcapngError?) {
        var parser = PcapngParser()
        var items: [CaptureItem] = []
        var rest = bytes[...]
        do throws(PcapngError) {
            while true {
                while let item = try parser.next() { items.append(item) }
                if rest.isEmpty { break }
                parser.append(rest.prefix(size))
                rest = rest.dropFirst(size)
            }
        } catch {
            return (items, parser.counts, error)
        }
        parser.finish()
        return (items, parser.counts, nil)
    }

    static func packets(_ items: [CaptureItem]) -> [CapturedPacket] {
        items.compactMap { item in
            guard case .packet(let packet) = item else { return nil }
            return packet
        }
    }

    /// A file with one of everything.
    static func everything(isBigEndian: Bool) -> [UInt8] {
        var file = PcapngSamples(isBigEndian: isBigEndian)
        file.addSection()
        file.addInterface(1)
        file.addInterface(101, resolution: 9)
        file.add(0x0A, file.number(0x544C_534B, 4) + file.number(6, 4) + Array("secret".utf8))
        file.add(0x0A, file.number(0x5353_4B31, 4) + file.number(1, 4) + [1])
        file.addPacket([1, 2, 3], ticks: 1_000_001, original: 9)
        file.addPacket([4, 5, 6, 7], interface: 1, ticks: 1_000_001)
        file.addPacket([8], interface: 2)
        file.add(
            2,
            file.number(1, 2) + file.number(7, 2) + file.number(0, 4) + file.number(77, 4)
                + file.number(2, 4) + file.number(3, 4) + [1, 2])
        file.add(3, file.number(5, 4) + [1, 2, 3, 4, 5])
        file.add(4, [0, 0, 0, 0])
        file.add(5, [0, 0, 0, 0])
        file.add(0x0BAD, [0, 0, 0, 0])
        file.add(0x4000_0BAD, [0, 0, 0, 0])
        file.add(0x99, [])
        var other = PcapngSamples(isBigEndian: !isBigEndian)
        other.addSection()
        other.addInterface(276, snapLength: 2)
        other.add(3, other.number(5, 4) + [1, 2])
        return file.bytes + other.bytes
    }

    @Test(arguments: [false, true], [Int.max, 1, 3, 64])
    func `one of everything, in pieces`(isBigEndian: Bool, size: Int) {
        let file = Self.everything(isBigEndian: isBigEndian)
        let (items, counts, error) = Self.read(file, in: size)
        #expect(error == nil)
        func packet(
            _ link: UInt32, _ bytes: [UInt8], _ time: Int64, original: Int? = nil
        ) -> CaptureItem {
            .packet(
                CapturedPacket(
                    link: LinkType(rawValue: link), bytes: bytes[...], originalLength: original,
                    atUnixNanoseconds: time))
        }
        #expect(
            items == [
                .secrets(Array("secret".utf8)),
                packet(1, [1, 2, 3], 1_000_001_000, original: 9),
                packet(101, [4, 5, 6, 7], 1_000_001),
                .strayPacket,
                packet(101, [1, 2], 77, original: 3),
                packet(1, [1, 2, 3, 4, 5], 77),
                packet(276, [1, 2], 77, original: 5),
            ])
        var expected = BlockCounts()
        expected.sections = 2
        expected.interfaces = 3
        expected.packets = 6
        expected.packetsWithoutTime = 2
        expected.keyLogs = 1
        expected.otherSecrets = 1
        expected.nameResolutions = 1
        expected.statistics = 1
        expected.custom = 2
        expected.unknown = 1
        #expect(counts == expected)
    }

    /// Unit, offset in seconds, ticks, and the time in nanoseconds.
    static let times: [(UInt8, Int64, UInt64, Int64)] = [
        (6, 0, 1_700_000_000_123_456, 1_700_000_000_123_456_000),
        (9, 0, 1_700_000_000_123_456_789, 1_700_000_000_123_456_789),
        (0, 0, 1_700_000_000, 1_700_000_000_000_000_000),
        (3, 1_700_000_000, 5, 1_700_000_000_005_000_000),
        (12, 0, 1_999_999, 1999),
        (100, 0, .max, 1),
        (0x80 | 32, 0, 3 << 31, 1_500_000_000),
        (0x80 | 10, -1, 2048, 1_000_000_000),
        (0x80 | 127, 0, .max, 0),
        (0, 0, .max, .max), (9, 0, .max, .max), (9, .min, 5, 0), (9, .max, 5, .max),
    ]

    @Test(arguments: times)
    func `times are told in nanoseconds`(
        resolution: UInt8, offset: Int64, ticks: UInt64, expected: Int64
    ) {
        var file = PcapngSamples()
        file.addSection()
        file.addInterface(resolution: resolution, offsetSeconds: offset)
        file.addPacket([], ticks: ticks)
        let packets = Self.packets(Self.read(file.bytes).items)
        #expect(packets.map(\.atUnixNanoseconds) == [expected])
    }

    /// A file that goes wrong at the byte `at`, behind a good packet.
    private static func damaged(_ damage: (inout PcapngSamples) -> Void) -> [UInt8] {
        var file = PcapngSamples()
        file.addSection()
        file.addInterface()
        file.addPacket([1, 2, 3, 4])
        damage(&file)
        return file.bytes
    }

    @Test func `what cannot be is told with its place`() {
        let place = Int64(Self.damaged { _ in }.count)
        let cases: [(PcapngError, (inout PcapngSamples) -> Void)] = [
            (.lengthAtEnd(13, offset: place), { $0.add(5, [], endsWith: 13) }),
            (.contents(type: 6, offset: place), { $0.add(6, [0, 0, 0, 0]) }),
            (.contents(type: 6, offset: place), { $0.addPacket([1], captured: 5) }),
            (.contents(type: 6, offset: place), { $0.addPacket([1], captured: 0xFFFF_FFFF) }),
            (.contents(type: 3, offset: place), { $0.add(3, [9, 0, 0, 0, 1, 2, 3, 4]) }),
            (.contents(type: 1, offset: place), { $0.add(1, [1]) }),
            (
                .contents(type: 1, offset: place),
                { $0.add(1, [1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 9, 0]) }
            ),
            (
                .contents(type: 10, offset: place),
                { $0.add(10, $0.number(0x544C_534B, 4) + $0.number(9, 4) + [1]) }
            ),
            (.version(major: 2, minor: 0, offset: place), { $0.addSection(major: 2) }),
            (.byteOrder(offset: place), { $0.add(0x0A0D_0D0A, [1, 2, 3, 4]) }),
        ]
        for (expected, damage) in cases {
            let file = Self.damaged(damage)
            for size in [Int.max, 1] {
                let (items, _, error) = Self.read(file, in: size)
                #expect(error == expected)
                #expect(items.count == 1, "what came before is given")
            }
        }
    }

    @Test(arguments: [0, 8, 11, 13, 64 << 20 | 4, 0xFFFF_FFFC] as [UInt32])
    func `a length that cannot be`(length: UInt32) {
        let file = Self.damaged { _ in }
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
        let (_, _, error) = Self.read(file + [5, 0, 0, 0] + bytes + [0, 0, 0, 0])
        #expect(error == .length(length, offset: Int64(file.count)))
        #expect(error?.detail.contains("byte \(file.count)") == true)
    }

    @Test func `an error comes again`() {
        var parser = PcapngParser()
        parser.append([UInt8](repeating: 0x41, count: 40))
        for _ in 0..<2 {
            #expect(throws: PcapngError.notASection(offset: 0)) { try parser.next() }
        }
    }

    @Test func `the last block may be cut off`() {
        let file = Self.damaged { $0.addPacket([1, 2, 3, 4, 5]) }
        let whole = Self.damaged { _ in }.count
        for count in whole..<file.count {
            let (items, counts, error) = Self.read(Array(file.prefix(count)))
            #expect(error == nil)
            #expect(items.count == 1)
            #expect(counts.cutOffBytes == Int64(count - whole))
        }
    }

    @Test func `what is missing is no more than there is`() {
        var parser = PcapngParser()
        let file = Self.everything(isBigEndian: true)
        var place = 0
        // Whoever gives exactly what is missing gets to the end and not beyond.
        while place < file.count {
            while let item = try? parser.next() { _ = item }
            let count = parser.missing
            #expect(count > 0 && place + count <= file.count)
            guard count > 0, place + count <= file.count else { return }
            parser.append(file[place..<place + count])
            place += count
        }
    }

    @Test func `interfaces are bounded`() {
        var file = PcapngSamples()
        file.addSection()
        let start = file.bytes
        file.addInterface()
        let interface = Array(file.bytes.dropFirst(start.count))
        var parser = PcapngParser()
        parser.append(start)
        for _ in 0..<PcapngParser.maxInterfaces / 1024 {
            parser.append(Array(repeatElement(interface, count: 1024).joined()))
            #expect(throws: Never.self) { try parser.next() }
        }
        parser.append(interface)
        #expect(throws: PcapngError.self) { try parser.next() }
    }
}
