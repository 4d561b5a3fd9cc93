/// Whom the `Authorization` of a request names; secrets are compared by a digest and not kept.
struct CommCareCredentials: Hashable, Sendable {
    /// The name without project, in lower case; nil where the scheme names none.
    let user: String?
    /// A digest of the whole value.
    let digest: CommCareDigest

    init?(_ value: String?) {
        guard let value else { return nil }
        digest = CommCareDigest(Array(value.utf8))
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2 else {
            user = nil
            return
        }
        switch parts[0].lowercased() {
        case "basic":
            let text = String(decoding: Self.base64(parts[1]), as: UTF8.self)
            user = text.utf8.contains(0x3A) ? Self.name(text.prefix { $0 != ":" }) : nil
        case "digest":
            guard let range = parts[1].firstRange(of: "username=\"") else {
                user = nil
                return
            }
            user = Self.name(parts[1][range.upperBound...].prefix { $0 != "\"" })
        default: user = nil
        }
    }

    /// `anna@demo.commcarehq.org` and `anna` are one.
    static func name(_ text: some StringProtocol) -> String {
        String(text.prefix { $0 != "@" }).lowercased()
    }

    private static func base64(_ text: Substring) -> [UInt8] {
        var result: [UInt8] = []
        var (bits, count) = (UInt32(0), 0)
        for byte in text.utf8.prefix(4_096) {
            let value: UInt8
            switch byte {
            case 0x41...0x5A: value = byte - 0x41
            case 0x61...0x7A: value = byte - 0x47
            case 0x30...0x39: value = byte + 4
            case 0x2B: value = 62
            case 0x2F: value = 63
            default: continue
            }
            bits = bits << 6 | UInt32(value)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            result.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        return result
    }
}
