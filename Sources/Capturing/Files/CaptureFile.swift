import Notation

/// A file of packets, read from its beginning to its end.
///
/// It is pcap or pcapng by its first bytes, whatever its name is. Calls block on the disk; one
/// thread at a time may make them. In memory are one block or packet
/// (``PcapngParser/longestBlock``), the bytes read ahead (``readAtOnce``) and the fragments of
/// ``PacketDecoder``.
public final class CaptureFile {
    /// Bytes that are read at once: 1 MiB.
    public static let readAtOnce = 1 << 20

    /// Size of the header of a packet in a file, in bytes: at least 16, in pcapng 32.
    private static let packetHeader: Int64 = 16

    /// Where the file is.
    public let path: String
    /// ``CaptureFormat/pcap`` or ``CaptureFormat/pcapng``.
    public let format: CaptureFormat
    /// The outcome of the packets so far.
    public var counts: PacketCounts { decoder.counts }
    /// What else there was in the file so far.
    public var blocks: BlockCounts { source.counts }
    /// Bytes that the file had when it was opened.
    public let size: Int64

    /// Receives every packet before it is parsed; default: nil.
    public var keep: ((CapturedPacket) -> Void)?
    /// Bytes of the packets so far.
    public private(set) var bytesRead: Int64 = 0

    private var source: any CaptureSource
    private var decoder = PacketDecoder()

    /// Opens a file and inspects its beginning.
    ///
    /// - Throws: ``CaptureError``: `cannotOpen`, `compressed`, `unknownFormat`, `malformed` where
    ///   the beginning is invalid, `storage`.
    public init(path: String) throws(CaptureError) {
        self.path = path
        let file = try CaptureStream(path: path)
        size = file.size
        let start = try file.beginning(CaptureFormat.enough)
        guard let format = CaptureFormat.recognize(start) else {
            throw CaptureError(.unknownFormat, Self.unknown(path, start))
        }
        self.format = format
        switch format {
        case .pcap:
            source = try PcapSource(file, recordHeader: CaptureFormat.recordHeader(start))
        case .pcapng:
            source = PcapngSource(file)
        case .compressed(let program):
            throw CaptureError(
                .compressed, "\(path) is compressed; unpack it with \(program) -d first")
        case .other(let name):
            throw CaptureError(
                .unknownFormat,
                "\(path) looks like \(name), not like pcap or pcapng; "
                    + "for a file of packets, editcap -F pcapng may convert it")
        }
    }

    /// Reads up to the next segment or secret.
    ///
    /// - Returns: nil at the end of the file; ``counts`` and ``blocks`` are final then.
    /// - Throws: ``CaptureError``: `malformed` with the place in bytes, `storage`. What was
    ///   returned before is valid.
    public func next() throws(CaptureError) -> Reading? {
        while let item = try nextItem() {
            switch item {
            case .packet(let packet):
                keep?(packet)
                bytesRead += Int64(packet.bytes.count) + Self.packetHeader
                if let segment = decoder.decode(packet) { return .segment(segment) }
            case .strayPacket: decoder.ignore(.unknownInterface)
            case .secrets(let keyLog): return .secrets(keyLog)
            }
        }
        return nil
    }

    /// Reads the next packet without looking into it, or secret; not counted in ``counts``.
    ///
    /// - Returns: nil at the end of the file.
    /// - Throws: As ``next()``.
    public func nextItem() throws(CaptureError) -> CaptureItem? {
        do {
            if let item = try source.next() { return item }
        } catch {
            decoder.finish()
            throw error
        }
        decoder.finish()
        return nil
    }

    private static func unknown(_ path: String, _ start: [UInt8]) -> String {
        guard !start.isEmpty else { return "\(path) is empty: there are no packets in it" }
        let digits = start.prefix(4).map { Hexadecimal.text([$0]) }
        return "\(path) is neither pcap nor pcapng: it begins with \(digits.joined(separator: " "))"
    }
}

/// What gives packets of a file, one after the other.
protocol CaptureSource {
    /// What there was so far.
    var counts: BlockCounts { get }
    /// The next packet or secret; nil at the end.
    mutating func next() throws(CaptureError) -> CaptureItem?
}
