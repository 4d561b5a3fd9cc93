internal import Capturing
internal import Trace

/// A file of packets in the making, which goes to the disk periodically.
final class PacketFile {
    private let file: NewFile
    private var writer: PcapngWriter
    private var interfaces: [LinkType: Int] = [:]
    private var named: Set<String> = []
    /// How many packets there are.
    private(set) var packets: Int64 = 0

    /// Bytes of memory after which what was made is written.
    private static let enough = 1 << 18
    /// The maximum number of names that are written; a capture with more hosts has the others as
    /// addresses alone.
    private static let maxNames = 65_536

    init(_ file: NewFile, application: String) {
        self.file = file
        writer = PcapngWriter(application: application)
    }

    /// Adds segments, the first of which has the remark `comment`.
    func add(_ segments: [TCPSegment], comment: String? = nil) throws(FileError) {
        var comment = comment
        for segment in segments {
            let packet = PacketBuilder.packet(
                source: segment.source, destination: segment.destination,
                sequence: segment.sequence, acknowledgment: segment.acknowledgment,
                flags: segment.flags, payload: segment.payload)
            try add(
                packet, link: .rawIP, name: "tapedeck",
                atUnixNanoseconds: segment.atUnixNanoseconds, comment: comment)
            comment = nil
        }
    }

    /// Adds a packet that begins with the header of `link`.
    func add(
        _ packet: [UInt8], link: LinkType, name: String? = nil, atUnixNanoseconds: Int64,
        originalLength: Int? = nil, comment: String? = nil
    ) throws(FileError) {
        let interface = interfaces[link] ?? writer.addInterface(link, name: name)
        interfaces[link] = interface
        writer.addPacket(
            packet, interface: interface, atUnixNanoseconds: atUnixNanoseconds,
            originalLength: originalLength, comment: comment)
        packets += 1
        if writer.bytes.count >= Self.enough { try file.write(writer.take()) }
    }

    /// Adds what decrypts the packets that come after it.
    func add(keyLog: [UInt8]) { writer.addSecrets(keyLog) }

    /// Writes that the host `name` has `address`, unless that was written before.
    func name(_ address: IPAddress, _ name: String) throws(FileError) {
        guard !name.isEmpty, IPAddress(name) == nil, named.count < Self.maxNames,
            named.insert("\(address) \(name)").inserted
        else { return }
        try file.write(writer.take())
        try file.write(PcapngNames.block([(address, name)]))
    }

    /// Writes what waits, and brings the file to its place.
    func publish() throws(FileError) {
        // A file without an interface is not a capture to some programs.
        if interfaces.isEmpty { _ = writer.addInterface(.rawIP, name: "tapedeck") }
        try file.write(writer.take())
        try file.publish()
    }
}
