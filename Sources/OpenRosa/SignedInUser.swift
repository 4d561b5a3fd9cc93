/// As which user a request to a server asks.
package enum SignedInUser {
    /// The user of the query's `as`, or else the name of `Basic` credentials.
    ///
    /// - Parameters:
    ///   - authorization: Value of the `Authorization` field.
    ///   - query: Query of the target, without the question mark.
    /// - Returns: The name; nil where neither says one.
    package static func name(authorization: String?, query: String?) -> String? {
        query.flatMap(other) ?? authorization.flatMap(basic)
    }

    /// The last `as` of a query, where that is not empty.
    ///
    /// Source: CommCare's "log in as", which web users restore with.
    private static func other(_ query: String) -> String? {
        guard query.utf8.contains(0x3D) else { return nil }
        let value = query.utf8.split(separator: 0x26).last { $0.starts(with: "as=".utf8) }
        guard let value, value.count > 3 else { return nil }
        return decoded(value.dropFirst(3))
    }

    /// The value of a field of a query: `+` is a space and `%` begins a byte.
    private static func decoded(_ text: Substring.UTF8View) -> String {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            let digits = Substring(rest.prefix(2))
            if byte == 0x25, digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
                let escaped = UInt8(digits, radix: 16)
            {
                bytes.append(escaped)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == 0x2B ? 0x20 : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The name of `Basic` credentials, with what stands behind an `@` (RFC 7617, 2).
    private static func basic(_ authorization: String) -> String? {
        let words = authorization.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "basic",
            let bytes = base64(words[1].utf8),
            let colon = bytes.firstIndex(of: 0x3A), colon > 0
        else { return nil }
        return String(decoding: bytes[..<colon], as: UTF8.self)
    }

    /// The bytes of a text in Base64 (RFC 4648, 4).
    private static func base64(_ text: Substring.UTF8View) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in text where byte != 0x3D {
            let digit: UInt8
            switch byte {
            case 0x41...0x5A: digit = byte - 0x41
            case 0x61...0x7A: digit = byte - 0x61 + 26
            case 0x30...0x39: digit = byte - 0x30 + 52
            case 0x2B, 0x2D: digit = 62
            case 0x2F, 0x5F: digit = 63
            default: return nil
            }
            bits = (bits << 6 | UInt32(digit)) & 0xFFFFFF
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return bytes
    }
}
