/// Parsing of single blocks; each is complete, and its lengths agree.
extension PcapngParser {
    mutating func read(_ body: PcapngBody) throws(PcapngError) -> CaptureItem? {
        switch body.type {
        case PcapngBlock.sectionHeader: try section(body)
        case PcapngBlock.interface: try interface(body)
        case PcapngBlock.enhancedPacket: return try enhancedPacket(body)
        case PcapngBlock.simplePacket: return try simplePacket(body)
        case PcapngBlock.obsoletePacket: return try obsoletePacket(body)
        case PcapngBlock.secrets: return try secrets(body)
        case PcapngBlock.nameResolution: counts.nameResolutions += 1
        case PcapngBlock.statistics: counts.statistics += 1
        case PcapngBlock.custom, PcapngBlock.customNotToCopy: counts.custom += 1
        default: counts.unknown += 1
        }
        return nil
    }

    /// Magic, version and, not needed, length of the section: 16 bytes.
    private mutating func section(_ body: PcapngBody) throws(PcapngError) {
        _ = try body.dropping(16)
        let start = body.range.lowerBound
        let (major, minor) = (number16(start + 4), number16(start + 6))
        guard major == 1 else { throw .version(major: major, minor: minor, offset: body.offset) }
        counts.sections += 1
        interfaces = []
    }

    /// Link type, two bytes of nothing, snap length: 8 bytes; then options.
    private mutating func interface(_ body: PcapngBody) throws(PcapngError) {
        var options = try body.dropping(8)
        let start = body.range.lowerBound
        guard interfaces.count < Self.maxInterfaces else {
            throw .interfaces(offset: body.offset)
        }
        var interface = PcapngInterface(
            link: LinkType(rawValue: UInt32(number16(start))), snapLength: number32(start + 4))
        while options.count >= 4 {
            let (code, length) = (
                number16(options.lowerBound), Int(number16(options.lowerBound + 2))
            )
            if code == 0 { break }
            let value = options.lowerBound + 4
            guard length <= options.upperBound - value else { throw body.tooShort }
            switch (code, length) {
            case (9, 1): interface.resolution = buffer[value]
            case (14, 8): interface.offsetSeconds = Int64(bitPattern: number64(value))
            default: break
            }
            options = min(options.upperBound, value + (length + 3) & ~3)..<options.upperBound
        }
        interfaces.append(interface)
        counts.interfaces += 1
    }

    /// Interface, time in two halves, captured length, original length: 20 bytes.
    private mutating func enhancedPacket(_ body: PcapngBody) throws(PcapngError) -> CaptureItem {
        let rest = try body.dropping(20)
        let start = body.range.lowerBound
        let bytes = try data(number32(start + 12), rest, body)
        return packet(
            Int(number32(start)), highAt: start + 4, bytes,
            originalLength: Int(number32(start + 16)))
    }

    /// As the enhanced one, but for 16 bits of interface and 16 of drops.
    private mutating func obsoletePacket(_ body: PcapngBody) throws(PcapngError) -> CaptureItem {
        let rest = try body.dropping(20)
        let start = body.range.lowerBound
        let bytes = try data(number32(start + 12), rest, body)
        return packet(
            Int(number16(start)), highAt: start + 4, bytes,
            originalLength: Int(number32(start + 16)))
    }

    /// Original length: 4 bytes; the interface is the first one, and there is no time.
    private mutating func simplePacket(_ body: PcapngBody) throws(PcapngError) -> CaptureItem {
        let rest = try body.dropping(4)
        let originalLength = number32(body.range.lowerBound)
        guard let first = interfaces.first else {
            counts.packets += 1
            return .strayPacket
        }
        let limit = first.snapLength == 0 ? .max : first.snapLength
        let bytes = try data(min(originalLength, limit), rest, body)
        counts.packets += 1
        counts.packetsWithoutTime += 1
        return .packet(
            CapturedPacket(
                link: first.link, bytes: bytes, originalLength: Int(originalLength),
                atUnixNanoseconds: lastUnixNanoseconds))
    }

    /// Kind and length: 8 bytes.
    private mutating func secrets(_ body: PcapngBody) throws(PcapngError) -> CaptureItem? {
        let rest = try body.dropping(8)
        let start = body.range.lowerBound
        let bytes = try data(number32(start + 4), rest, body)
        guard number32(start) == PcapngBlock.keyLogSecrets else {
            counts.otherSecrets += 1
            return nil
        }
        counts.keyLogs += 1
        return .secrets(Array(bytes))
    }

    private mutating func packet(
        _ interface: Int, highAt time: Int, _ bytes: ArraySlice<UInt8>, originalLength: Int
    ) -> CaptureItem {
        counts.packets += 1
        guard interface < interfaces.count else { return .strayPacket }
        let ticks = UInt64(number32(time)) << 32 | UInt64(number32(time + 4))
        lastUnixNanoseconds = interfaces[interface].unixNanoseconds(ticks)
        return .packet(
            CapturedPacket(
                link: interfaces[interface].link, bytes: bytes, originalLength: originalLength,
                atUnixNanoseconds: lastUnixNanoseconds))
    }

    /// The first `length` bytes of `rest`.
    private func data(
        _ length: UInt32, _ rest: Range<Int>, _ body: PcapngBody
    ) throws(PcapngError) -> ArraySlice<UInt8> {
        guard length <= rest.count else { throw body.tooShort }
        return buffer[rest.prefix(Int(length))]
    }

    /// The number of 64 bits at this place.
    private func number64(_ place: Int) -> UInt64 {
        let (first, second) = (UInt64(number32(place)), UInt64(number32(place + 4)))
        return isBigEndian ? first << 32 | second : second << 32 | first
    }
}
