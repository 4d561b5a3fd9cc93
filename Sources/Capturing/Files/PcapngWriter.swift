/// A file of packets in the making, in the pcapng format.
///
/// A value that returns bytes and does no I/O: the writer of a large file calls ``take()``
/// periodically. Numbers are little-endian, times in nanoseconds; there is one section. Source:
/// draft-ietf-opsawg-pcapng.
public struct PcapngWriter: Sendable {
    /// Which way a packet went past the interface.
    public enum Direction: UInt32, Sendable {
        /// To this machine.
        case inbound = 1
        /// From this machine.
        case outbound = 2
    }

    /// What was written and not taken.
    public private(set) var bytes: [UInt8] = []
    /// How many interfaces there are; their numbers count from 0.
    public private(set) var interfaces = 0

    /// A file that begins with its section header.
    ///
    /// - Parameter application: Name and version of the program that writes.
    public init(application: String) {
        var body: [UInt8] = []
        body.append(little: PcapngBlock.byteOrderMagic)
        body.append(little: 1 as UInt16)
        body.append(little: 0 as UInt16)
        // The length of the section is unknown yet.
        body.append(little: UInt64.max)
        Self.append(option: 4, Array(application.utf8), to: &body)
        Self.endOptions(of: &body)
        append(block: PcapngBlock.sectionHeader, body)
    }

    /// Gives what was written since the last time, and drops it.
    public mutating func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    /// Adds an interface, which packets then name.
    ///
    /// - Parameters:
    ///   - link: What its packets begin with.
    ///   - name: Its display name; longer than 65 535 bytes, it is truncated.
    ///   - snapLength: The maximum number of captured bytes of a packet; 0 for no limit.
    /// - Returns: The interface's number.
    public mutating func addInterface(
        _ link: LinkType, name: String? = nil, snapLength: UInt32 = 0
    ) -> Int {
        var body: [UInt8] = []
        body.append(little: UInt16(truncatingIfNeeded: link.rawValue))
        body.append(little: 0 as UInt16)
        body.append(little: snapLength)
        if let name { Self.append(option: 2, Array(name.utf8), to: &body) }
        // Times in units of 10^-9 seconds.
        Self.append(option: 9, [9], to: &body)
        Self.endOptions(of: &body)
        append(block: PcapngBlock.interface, body)
        interfaces += 1
        return interfaces - 1
    }

    /// Adds a packet.
    ///
    /// - Parameters:
    ///   - packet: Its bytes as far as they were captured.
    ///   - interface: A number that ``addInterface(_:name:snapLength:)`` gave.
    ///   - atUnixNanoseconds: When, in nanoseconds since 1970 UTC; earlier than that is written as 0.
    ///   - originalLength: Bytes that it had on the wire; nil where all were captured.
    ///   - direction: Inbound or outbound; nil where that is unknown.
    ///   - comment: A remark; longer than 65 535 bytes, it is cut.
    public mutating func addPacket(
        _ packet: [UInt8], interface: Int = 0, atUnixNanoseconds: Int64,
        originalLength: Int? = nil, direction: Direction? = nil, comment: String? = nil
    ) {
        precondition((0..<interfaces).contains(interface), "there is no interface \(interface)")
        let time = UInt64(max(0, atUnixNanoseconds))
        var body: [UInt8] = []
        body.reserveCapacity(32 + packet.count)
        body.append(little: UInt32(interface))
        body.append(little: UInt32(time >> 32))
        body.append(little: UInt32(truncatingIfNeeded: time))
        body.append(little: UInt32(packet.count))
        body.append(little: UInt32(max(packet.count, originalLength ?? 0)))
        body += packet
        Self.pad(&body)
        if let comment { Self.append(option: 1, Array(comment.utf8), to: &body) }
        if let direction {
            var flags: [UInt8] = []
            flags.append(little: direction.rawValue)
            Self.append(option: 2, flags, to: &body)
        }
        if comment != nil || direction != nil { Self.endOptions(of: &body) }
        append(block: PcapngBlock.enhancedPacket, body)
    }

    /// Adds the secrets with which Wireshark decrypts packets that come after them.
    ///
    /// - Parameter keyLog: Text as in a file that `SSLKEYLOGFILE` names.
    public mutating func addSecrets(_ keyLog: [UInt8]) {
        var body: [UInt8] = []
        body.append(little: PcapngBlock.keyLogSecrets)
        body.append(little: UInt32(keyLog.count))
        body += keyLog
        Self.pad(&body)
        append(block: PcapngBlock.secrets, body)
    }

    private mutating func append(block type: UInt32, _ body: [UInt8]) {
        let length = UInt32(body.count + 12)
        bytes.append(little: type)
        bytes.append(little: length)
        bytes += body
        bytes.append(little: length)
    }

    private static func append(option code: UInt16, _ value: [UInt8], to body: inout [UInt8]) {
        let value = value.prefix(whole(value))
        body.append(little: code)
        body.append(little: UInt16(value.count))
        body += value
        pad(&body)
    }

    /// As many bytes of a text as an option holds, so that no character is cut in two.
    private static func whole(_ text: [UInt8]) -> Int {
        guard text.count > 65_535 else { return text.count }
        var end = 65_535
        while end > 0, text[end] & 0xC0 == 0x80 { end -= 1 }
        return end
    }

    private static func endOptions(of body: inout [UInt8]) { body += [0, 0, 0, 0] }

    /// Fills up to a multiple of four bytes; everything before in `body` has such a length.
    private static func pad(_ body: inout [UInt8]) {
        while body.count % 4 != 0 { body.append(0) }
    }
}
