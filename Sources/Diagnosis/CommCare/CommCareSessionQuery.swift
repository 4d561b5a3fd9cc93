/// What a query says, with escapes undone.
struct CommCareQuery: Sendable {
    private let values: [(name: String, value: String)]

    init(_ text: String?) {
        values = (text ?? "").split(separator: "&", maxSplits: 200).map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (
                Self.unescaped(parts[0]), parts.count > 1 ? Self.unescaped(parts[1]) : ""
            )
        }
    }

    /// The last value of this name, as Django takes it.
    subscript(name: String) -> String? { values.last { $0.name == name }?.value }

    static func unescaped(_ text: Substring) -> String {
        guard text.utf8.contains(where: { $0 == 0x25 || $0 == 0x2B }) else { return String(text) }
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var place = 0
        while place < bytes.count {
            if bytes[place] == 0x25, place + 2 < bytes.count, let high = digit(bytes[place + 1]),
                let low = digit(bytes[place + 2])
            {
                result.append(high << 4 | low)
                place += 3
            } else {
                result.append(bytes[place] == 0x2B ? 0x20 : bytes[place])
                place += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
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
