internal import CPcap

/// The messages of libpcap, as Swift strings.
enum LibpcapText {
    /// The last error of a handle.
    static func error(_ handle: OpaquePointer) -> String {
        pcap_geterr(handle).map { String(cString: $0) } ?? "no reason given"
    }

    /// The text in an error buffer.
    static func string(_ buffer: [CChar]) -> String {
        String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension CapturedPacket {
    /// A packet as libpcap gives it, copied; `nanosecondsPerTick` is the unit of what its time has
    /// below a second.
    init(
        link: LinkType, header: pcap_pkthdr, _ data: UnsafePointer<UInt8>, nanosecondsPerTick: Int64
    ) {
        // libpcap takes the 32 bits of a file for signed; they are not, or 2038 would be 1902.
        let seconds = Int64(UInt32(truncatingIfNeeded: header.ts.tv_sec))
        let fraction = Int64(header.ts.tv_usec).multipliedReportingOverflow(by: nanosecondsPerTick)
        self.init(
            link: link,
            bytes: Array(UnsafeBufferPointer(start: data, count: Int(header.caplen)))[...],
            originalLength: Int(header.len),
            atUnixNanoseconds: seconds * 1_000_000_000
                + (fraction.overflow ? 0 : fraction.partialValue))
    }
}

extension LinkType: CustomStringConvertible {
    /// The name that libpcap has for it, and the number.
    public var description: String {
        guard let number = Int32(exactly: rawValue), let name = pcap_datalink_val_to_name(number)
        else { return "link type \(rawValue)" }
        return "\(String(cString: name)) (\(rawValue))"
    }
}
