internal import CPcap
internal import Platform

/// Reads a pcap file through libpcap.
final class PcapSource: CaptureSource {
    private(set) var counts = BlockCounts()

    private let path: String
    private let handle: OpaquePointer
    private let link: LinkType
    /// Bytes in front of each packet.
    private let recordHeader: Int64
    /// Where the next record begins, as long as none is longer than its stated size.
    private var offset: Int64 = 24
    private var isAtEnd = false

    /// Takes over an open file.
    init(_ stream: CaptureStream, recordHeader: Int64) throws(CaptureError) {
        path = stream.path
        self.recordHeader = recordHeader
        var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
        guard let file = stream.release() else {
            throw CaptureError(.cannotOpen, "\(stream.path) is closed")
        }
        guard
            let handle = pcap_fopen_offline_with_tstamp_precision(
                file, UInt32(PCAP_TSTAMP_PRECISION_NANO), &message)
        else {
            fclose(file)
            throw CaptureError(
                .malformed, "\(stream.path) is damaged: \(LibpcapText.string(message))")
        }
        self.handle = handle
        link = LinkType(rawValue: UInt32(bitPattern: pcap_datalink(handle)))
    }

    deinit { pcap_close(handle) }

    func next() throws(CaptureError) -> CaptureItem? {
        guard !isAtEnd else { return nil }
        var header: UnsafeMutablePointer<pcap_pkthdr>?
        var data: UnsafePointer<UInt8>?
        let status = pcap_next_ex(handle, &header, &data)
        guard status == 1, let header, let data else {
            isAtEnd = true
            try end(status)
            return nil
        }
        let packet = CapturedPacket(
            link: link, header: header.pointee, data, nanosecondsPerTick: 1)
        offset += recordHeader + Int64(packet.bytes.count)
        counts.packets += 1
        return .packet(packet)
    }

    /// Finds out why there is no other packet.
    private func end(_ status: Int32) throws(CaptureError) {
        guard status != PCAP_ERROR_BREAK, let file = pcap_file(handle) else { return }
        if ferror(file) == 0, feof(file) != 0 {
            // The file ends within a record; libpcap distinguishes this by its message only.
            counts.cutOffBytes = max(1, Int64(ftello(file)) - offset)
            return
        }
        let detail = LibpcapText.error(handle)
        guard ferror(file) == 0 else {
            throw CaptureError(.storage, "cannot read \(path): \(detail)")
        }
        throw CaptureError(
            .malformed, "\(path) is damaged at byte \(offset) or after it: \(detail)")
    }
}
