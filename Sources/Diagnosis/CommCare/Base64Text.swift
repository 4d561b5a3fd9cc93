/// Text in Base64 (RFC 4648, section 4).
enum Base64Text {
    /// The text; nil where it is no Base64.
    static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in text.utf8.prefix(4_096) where byte != 0x20 {
            let value: UInt32
            switch byte {
            case 0x41...0x5A: value = UInt32(byte) - 0x41
            case 0x61...0x7A: value = UInt32(byte) - 0x47
            case 0x30...0x39: value = UInt32(byte) + 4
            case 0x2B: value = 62
            case 0x2F: value = 63
            case 0x3D: continue
            default: return nil
            }
            bits = (bits << 6 | value) & 0xFF_FFFF
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
