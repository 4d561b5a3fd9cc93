/// Base 64 as header fields have it (RFC 4648, 4).
enum Base64Text {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The bytes as text, padded.
    static func encode(_ bytes: [UInt8]) -> String {
        var output: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits = 0
            for offset in 0..<3 {
                bits = bits << 8 | (offset < group.count ? Int(group[start + offset]) : 0)
            }
            for place in 0..<4 {
                output.append(
                    place <= group.count ? alphabet[bits >> (18 - 6 * place) & 63] : 0x3D)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// The bytes that the text stands for; nil where it is none, padding aside.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var output: [UInt8] = []
        var bits = 0
        var count = 0
        for byte in text.utf8 {
            if byte == 0x3D { break }
            let value: Int
            switch byte {
            case 0x41...0x5A: value = Int(byte) - 0x41
            case 0x61...0x7A: value = Int(byte) - 0x61 + 26
            case 0x30...0x39: value = Int(byte) - 0x30 + 52
            case 0x2B, 0x2D: value = 62
            case 0x2F, 0x5F: value = 63
            default: return nil
            }
            bits = (bits << 6 | value) & 0xFF_FFFF
            count += 1
            if count % 4 != 1 { output.append(UInt8(truncatingIfNeeded: bits >> shift(count))) }
        }
        return count % 4 == 1 ? nil : output
    }

    /// Bits behind the byte that the digit numbered `count` completes.
    private static func shift(_ count: Int) -> Int {
        switch count % 4 {
        case 2: 4
        case 3: 2
        default: 0
        }
    }
}
