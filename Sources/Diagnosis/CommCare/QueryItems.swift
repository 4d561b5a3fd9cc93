/// The parameters of a query.
struct QueryItems {
    /// Names and values in order, decoded.
    let items: [(name: String, value: String)]

    /// Takes a query apart; nil has no parameters.
    init(_ query: String?) {
        items = (query ?? "").split(separator: "&").prefix(200).map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (
                Self.decoded(parts.first ?? ""), parts.count > 1 ? Self.decoded(parts[1]) : ""
            )
        }
    }

    /// The value of the first parameter of this name.
    func value(_ name: String) -> String? { items.first { $0.name == name }?.value }

    /// All values of this name.
    func all(_ name: String) -> [String] { items.filter { $0.name == name }.map(\.value) }

    private static func decoded(_ text: Substring) -> String {
        guard text.utf8.contains(where: { $0 == 0x25 || $0 == 0x2B }) else { return String(text) }
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == 0x25, let high = rest.first.flatMap(Self.digit),
                let low = rest.dropFirst().first.flatMap(Self.digit)
            {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == 0x2B ? 0x20 : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}
