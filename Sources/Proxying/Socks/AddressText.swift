import Platform

/// IP addresses as text and as bytes in network order.
enum AddressText {
    /// The 4 or 16 bytes of an address, an IPv6 one with or without brackets; nil for anything else.
    static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let isBracketed = text.first == "[" && text.last == "]"
        let text = isBracketed ? String(text.dropFirst().dropLast()) : String(text)
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: count)
            if inet_pton(family, text, &bytes) == 1 { return bytes }
        }
        return nil
    }

    /// The text of an address of 4 or 16 bytes.
    static func text(_ bytes: [UInt8]) -> String {
        guard bytes.count == 16 else {
            return bytes.map { "\($0)" }.joined(separator: ".")
        }
        return stride(from: 0, to: 16, by: 2).map {
            String(Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]), radix: 16)
        }.joined(separator: ":")
    }
}
