/// Coded content.
struct ContentCodingSample: Sendable, CustomStringConvertible {
    var name: String
    var codings: String
    var bytes: [UInt8]

    init(name: String, codings: String, bytes: [UInt8]) {
        self.name = name
        self.codings = codings
        self.bytes = bytes
    }

    init(name: String, codings: String, hex: String) {
        self.init(name: name, codings: codings, bytes: Self.bytes(hex))
    }

    var description: String { name }

    /// The bytes that pairs of hexadecimal digits stand for.
    static func bytes(_ hex: String) -> [UInt8] {
        var result: [UInt8] = []
        var high: UInt8?
        for digit in hex.utf8 {
            let value = digit <= 0x39 ? digit - 0x30 : digit - 0x61 + 10
            if let first = high {
                result.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return result
    }
}
