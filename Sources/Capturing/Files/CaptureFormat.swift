/// The format of a file of packets, detected by its first bytes and never by its name.
public enum CaptureFormat: Hashable, Sendable {
    /// What tcpdump writes, with times in microseconds or nanoseconds.
    case pcap
    /// What Wireshark writes.
    case pcapng
    /// Compressed by the program that undoes it too.
    case compressed(with: String)
    /// Another format, by its name.
    case other(String)

    /// The number of bytes of a file that suffice to detect it.
    public static let enough = 16

    /// The format of a file that begins so.
    ///
    /// - Parameter start: The first ``enough`` bytes, or the whole file where it is shorter.
    /// - Returns: nil where the format is unknown.
    public static func recognize(_ start: [UInt8]) -> CaptureFormat? {
        beginnings.first { start.starts(with: $0.bytes) }?.format
    }

    /// Bytes in a record's header of a pcap file that begins so.
    static func recordHeader(_ start: [UInt8]) -> Int64 {
        // Alexey Kuznetzov's patched format of 1999 has two more fields.
        start.starts(with: [0xA1, 0xB2, 0xCD, 0x34])
            || start.starts(with: [0x34, 0xCD, 0xB2, 0xA1])
            ? 24 : 16
    }

    /// Where some bytes are text, they are written as such.
    private static let beginnings: [(bytes: [UInt8], format: CaptureFormat)] = [
        ([0x0A, 0x0D, 0x0D, 0x0A], .pcapng),
        ([0xA1, 0xB2, 0xC3, 0xD4], .pcap),
        ([0xD4, 0xC3, 0xB2, 0xA1], .pcap),
        ([0xA1, 0xB2, 0x3C, 0x4D], .pcap),
        ([0x4D, 0x3C, 0xB2, 0xA1], .pcap),
        ([0xA1, 0xB2, 0xCD, 0x34], .pcap),
        ([0x34, 0xCD, 0xB2, 0xA1], .pcap),
        ([0x1F, 0x8B], .compressed(with: "gzip")),
        ([0x28, 0xB5, 0x2F, 0xFD], .compressed(with: "zstd")),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A], .compressed(with: "xz")),
        ([0x04, 0x22, 0x4D, 0x18], .compressed(with: "lz4")),
        (Array("BZh".utf8), .compressed(with: "bzip2")),
        (Array("PK\u{3}\u{4}".utf8), .compressed(with: "zip")),
        (Array("snoop\0".utf8), .other("snoop")),
        (Array("btsnoop\0".utf8), .other("btsnoop")),
        (Array("GMBU".utf8), .other("Microsoft Network Monitor")),
        (Array("RTSS".utf8), .other("Microsoft Network Monitor 1")),
        (Array("TRSNIFF data".utf8), .other("Sniffer")),
        (Array("XCP\0".utf8), .other("NetXRay")),
        (Array("SQLite format 3".utf8), .other("SQLite (perhaps a trace)")),
        (Array("{".utf8), .other("JSON (perhaps a HAR)")),
    ]
}
