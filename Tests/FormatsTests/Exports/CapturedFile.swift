import Testing

/// What is in a pcapng file, read by the rules of its format and nothing of ours.
struct CapturedFile {
    /// A packet of IP version 4.
    struct Packet {
        var atUnixNanoseconds: Int64
        var comment: String?
        var bytes: [UInt8]
        var link: Int

        private func big(_ offset: Int, _ count: Int) -> Int {
            bytes[offset..<(offset + count)].reduce(0) { $0 << 8 | Int($1) }
        }

        var source: Int { big(12, 4) << 16 | big(20, 2) }
        var destination: Int { big(16, 4) << 16 | big(22, 2) }
        var sequence: UInt32 { UInt32(big(24, 4)) }
        var flags: Int { big(33, 1) }
        var payload: ArraySlice<UInt8> { bytes[40...] }
    }

    private(set) var packets: [Packet] = []
    private(set) var names: [String] = []
    private(set) var secrets: [[UInt8]] = []
    /// Types of blocks in order.
    private(set) var blocks: [Int] = []

    init(_ bytes: [UInt8]) throws {
        var links: [Int] = []
        var start = 0
        func little(_ offset: Int, _ count: Int) -> Int {
            bytes[offset..<(offset + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        while start < bytes.count {
            let length = little(start + 4, 4)
            try #require(length >= 12 && length % 4 == 0 && start + length <= bytes.count)
            try #require(little(start + length - 4, 4) == length)
            let type = little(start, 4)
            blocks.append(type)
            let body = start + 8
            switch type {
            case 1: links.append(little(body, 2))
            case 4: names.append(Self.name(Array(bytes[body..<(start + length - 4)])))
            case 10: secrets.append(Array(bytes[(body + 8)..<(body + 8 + little(body + 4, 4))]))
            case 6:
                let captured = little(body + 12, 4)
                let end = body + 20 + (captured + 3) / 4 * 4
                var comment: String?
                if end < start + length - 4, little(end, 2) == 1 {
                    comment = String(
                        decoding: bytes[(end + 4)..<(end + 4 + little(end + 2, 2))],
                        as: UTF8.self)
                }
                packets.append(
                    Packet(
                        atUnixNanoseconds: Int64(little(body + 4, 4) << 32 | little(body + 8, 4)),
                        comment: comment, bytes: Array(bytes[(body + 20)..<(body + 20 + captured)]),
                        link: links[little(body, 4)]))
            default: break
            }
            start += length
        }
    }

    private static func name(_ record: [UInt8]) -> String {
        let length = Int(record[2]) | Int(record[3]) << 8
        let address = record[4..<8].map { String($0) }.joined(separator: ".")
        return address + " " + String(decoding: record[8..<(4 + length - 1)], as: UTF8.self)
    }

    /// What each end sent to which, in order, by sequence numbers; bytes that are missing are counted.
    func streams() -> [[Int]: (bytes: [UInt8], missing: Int)] {
        var streams: [[Int]: (bytes: [UInt8], missing: Int)] = [:]
        var next: [[Int]: UInt32] = [:]
        for packet in packets {
            let ends = [packet.source, packet.destination]
            if packet.flags & 2 != 0 { next[ends] = packet.sequence &+ 1 }
            guard !packet.payload.isEmpty, let expected = next[ends] else { continue }
            streams[ends, default: ([], 0)].missing += Int(packet.sequence &- expected)
            streams[ends, default: ([], 0)].bytes += packet.payload
            next[ends] = packet.sequence &+ UInt32(packet.payload.count)
        }
        return streams
    }
}
