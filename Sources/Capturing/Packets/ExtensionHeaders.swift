/// The headers between that of IP and the protocol above.
///
/// Source: RFC 8200, 4; RFC 4302 for the authentication header, which version 4 has as well.
enum ExtensionHeaders {
    /// What follows the headers.
    struct Above: Equatable {
        /// The protocol; after a fragment header, the kind of what was cut up.
        var upper: UInt8
        var start: Int
        /// A fragment header, except of a fragment that is the whole datagram.
        var fragment: InternetHeader.Fragment?
    }

    /// Whether a header of this kind has a next-header field: hop-by-hop options, routing,
    /// fragment, authentication, destination options, mobility, host identity and shim6.
    private static func isExtension(_ kind: UInt8) -> Bool {
        switch kind {
        case 0, 43, 44, 51, 60, 135, 139, 140: true
        default: false
        }
    }

    /// Skips headers up to the first that is none, or after the first fragment header.
    ///
    /// - Parameters:
    ///   - bytes: What was captured.
    ///   - start: Where the first header is, inside of `end`.
    ///   - end: Where the packet ends by its stated length, perhaps after what was captured.
    ///   - next: Kind of the first header.
    ///   - tooShort: What it means that captured bytes end too early.
    /// - Returns: What follows, inside of `end`.
    /// - Throws: Why there is nothing that follows.
    static func skip(
        _ bytes: Span<UInt8>, from start: Int, to end: Int, next: UInt8, tooShort: IgnoringReason
    ) throws(IgnoringReason) -> Above {
        var next = next
        var start = start
        for _ in 0...PacketDecoder.maxExtensionHeaders {
            guard isExtension(next) else { return Above(upper: next, start: start) }
            guard start + 8 <= end else { throw .malformed }
            guard start + 8 <= bytes.count else { throw tooShort }
            let length =
                switch next {
                case 44: 8
                case 51: (Int(bytes[start + 1]) + 2) * 4
                default: (Int(bytes[start + 1]) + 1) * 8
                }
            guard start + length <= end else { throw .malformed }
            guard start + length <= bytes.count else { throw tooShort }
            if next == 44 {
                let place = bytes.big16(start + 2)
                // One that holds everything is not a fragment (RFC 6946).
                if place & 0xFFF9 != 0 {
                    let fragment = InternetHeader.Fragment(
                        identification: bytes.big32(start + 4), offset: Int(place & 0xFFF8),
                        isFollowed: place & 1 != 0)
                    return Above(upper: bytes[start], start: start + 8, fragment: fragment)
                }
            }
            next = bytes[start]
            start += length
        }
        throw .tooManyHeaders
    }
}
