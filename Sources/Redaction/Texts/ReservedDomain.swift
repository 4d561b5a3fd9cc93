/// Reserved domains, so that an address in them belongs to no person.
///
/// Source: RFC 2606 and RFC 6761.
enum ReservedDomain {
    private static let topLevel = ["test", "example", "invalid", "localhost"]
    private static let secondLevel = ["example.com", "example.net", "example.org"]

    /// Whether the address or host `text` ends in one.
    static func ends(_ text: [UInt8]) -> Bool {
        let domain = String(decoding: text.drop { $0 != 0x40 }.dropFirst(), as: UTF8.self)
            .lowercased()
        return (topLevel + secondLevel).contains { domain == $0 || domain.hasSuffix("." + $0) }
    }

    /// `address` with the end of its domain made `.test`, where it has at least six characters.
    static func put(into address: [UInt8]) -> [UInt8] {
        guard let at = address.lastIndex(of: 0x40), address.count - at - 1 >= 6 else {
            return address
        }
        var result = address
        let end = Array(".test".utf8)
        result.replaceSubrange(address.count - end.count..<address.count, with: end)
        let before = address.count - end.count - 1
        // No two dots, and no hyphen before one.
        if result[before] == 0x2E || result[before] == 0x2D { result[before] = UInt8(ascii: "x") }
        return result
    }
}
