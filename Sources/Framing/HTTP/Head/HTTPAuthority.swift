import Notation

/// A host with a port.
///
/// Source: RFC 3986, 3.2, without user information.
public struct HTTPAuthority: Hashable, Sendable, CustomStringConvertible {
    /// Host name or IP address in lower case, an IPv6 address without its brackets.
    public var host: String
    /// TCP port, in 0...65535.
    public var port: Int

    /// The authority with this host, given in lower case and without brackets, and this port.
    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// `HOST:PORT`, with brackets around an IPv6 address.
    public var description: String {
        host.utf8.contains(0x3A) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

extension HTTPAuthority {
    /// Reads `HOST`, `HOST:PORT`, `[ADDRESS]` or `[ADDRESS]:PORT`.
    ///
    /// - Parameters:
    ///   - text: The value of a `Host` field or the authority of a request target.
    ///   - defaultPort: The port where none is stated; nil where one must be.
    /// - Returns: The authority, its host in lower case.
    /// - Throws: ``HTTPTargetError``, with the offset of the error in bytes.
    public static func parse(
        _ text: String, defaultPort: Int? = nil
    ) throws(HTTPTargetError) -> HTTPAuthority {
        try parse(Array(text.utf8).span, defaultPort: defaultPort)
    }

    /// Reads `HOST`, `HOST:PORT`, `[ADDRESS]` or `[ADDRESS]:PORT`.
    ///
    /// - Parameters:
    ///   - bytes: The value of a `Host` field or the authority of a request target.
    ///   - defaultPort: The port where none is stated; nil where one must be.
    /// - Returns: The authority, its host in lower case.
    /// - Throws: ``HTTPTargetError``, with the offset of the error in bytes.
    public static func parse(
        _ bytes: borrowing Span<UInt8>, defaultPort: Int?
    ) throws(HTTPTargetError) -> HTTPAuthority {
        guard let first = bytes.isEmpty ? nil : bytes[0] else { throw .empty }
        var host: Range<Int>
        var end: Int
        if first == 0x5B {
            end = bytes.firstIndex(of: 0x5D, in: 0..<bytes.count)
            guard end < bytes.count else { throw .host(offset: 0) }
            host = 1..<end
            end += 1
            if let odd = firstOddInAddress(bytes, host) { throw .host(offset: odd) }
        } else {
            end = bytes.firstIndex(of: 0x3A, in: 0..<bytes.count)
            host = 0..<end
            for index in host where !isHostCharacter(bytes[index]) { throw .host(offset: index) }
        }
        guard !host.isEmpty else { throw .host(offset: host.lowerBound) }
        // Only ASCII is left.
        let name = String(decoding: bytes.copied(host).map(\.lowercased), as: UTF8.self)
        guard end < bytes.count else {
            guard let defaultPort else { throw .port(offset: end) }
            return HTTPAuthority(host: name, port: defaultPort)
        }
        guard bytes[end] == 0x3A else { throw .host(offset: end) }
        // RFC 3986, 3.2.3 allows a colon with nothing after it.
        if end + 1 == bytes.count, let defaultPort {
            return HTTPAuthority(host: name, port: defaultPort)
        }
        var port = 0
        guard end + 1 < bytes.count else { throw .port(offset: end) }
        for index in end + 1..<bytes.count {
            guard bytes[index].isDigit else { throw .port(offset: index) }
            port = port * 10 + Int(bytes[index] - 0x30)
            guard port <= 65535 else { throw .port(offset: end + 1) }
        }
        return HTTPAuthority(host: name, port: port)
    }

    /// Index of the first byte that is invalid in an IPv6 address, with or without a zone; nil
    /// where it is valid.
    private static func firstOddInAddress(
        _ bytes: borrowing Span<UInt8>, _ range: Range<Int>
    ) -> Int? {
        var colons = 0
        for index in range {
            switch bytes[index] {
            case 0x3A: colons += 1
            case 0x2E: break
            case 0x25:
                // A zone (RFC 6874) may have any characters of a name.
                for zone in index..<range.upperBound where !isHostCharacter(bytes[zone]) {
                    return zone
                }
                return colons >= 2 ? nil : range.lowerBound
            default:
                if Hexadecimal.digit(bytes[index]) == nil { return index }
            }
        }
        return colons >= 2 ? nil : range.lowerBound
    }

    /// Whether the byte is unreserved, a sub-delimiter or a percent sign (RFC 3986, 3.2.2).
    private static func isHostCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x2D, 0x2E, 0x5F, 0x7E, 0x25: true
        case 0x21, 0x24, 0x26...0x2C, 0x3B, 0x3D: true
        default: false
        }
    }
}
