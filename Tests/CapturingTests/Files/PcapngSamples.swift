/// Blocks of the pcapng format, written by hand in either byte order.
struct PcapngSamples {
    let isBigEndian: Bool
    private(set) var bytes: [UInt8] = []

    init(isBigEndian: Bool = false) { self.isBigEndian = isBigEndian }

    func number(_ value: UInt64, _ count: Int) -> [UInt8] {
        let little = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return isBigEndian ? little.reversed() : little
    }

    mutating func add(_ type: UInt64, _ body: [UInt8], endsWith length: UInt64? = nil) {
        let padded = body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
        let count = UInt64(padded.count + 12)
        bytes += number(type, 4) + number(count, 4) + padded + number(length ?? count, 4)
    }

    mutating func addSection(major: UInt64 = 1) {
        add(
            0x0A0D_0D0A,
            number(0x1A2B_3C4D, 4) + number(major, 2) + number(0, 2) + number(.max, 8))
    }

    mutating func addInterface(
        _ link: UInt64 = 101, snapLength: UInt64 = 0, resolution: UInt8? = nil,
        offsetSeconds: Int64? = nil
    ) {
        var body = number(link, 2) + number(0, 2) + number(snapLength, 4)
        // A name first, of a length that is no multiple of four.
        body += number(2, 2) + number(2, 2) + Array("lo".utf8) + [0, 0]
        if let resolution { body += number(9, 2) + number(1, 2) + [resolution, 0, 0, 0] }
        if let offsetSeconds {
            body += number(14, 2) + number(8, 2) + number(UInt64(bitPattern: offsetSeconds), 8)
        }
        add(1, body + [0, 0, 0, 0])
    }

    mutating func addPacket(
        _ data: [UInt8], interface: UInt64 = 0, ticks: UInt64 = 0, captured: UInt64? = nil,
        original: UInt64? = nil
    ) {
        add(
            6,
            number(interface, 4) + number(ticks >> 32, 4) + number(ticks & 0xFFFF_FFFF, 4)
                + number(captured ?? UInt64(data.count), 4)
                + number(original ?? UInt64(data.count), 4) + data)
    }
}
