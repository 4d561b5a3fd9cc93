/// Base64 whose bytes are changed in place: alphabet, padding and line breaks stay.
///
/// Reads both alphabets of RFC 4648; carriage returns and line feeds between the characters are
/// skipped (RFC 2045, 6.8).
struct Base64Text {
    /// What it encodes.
    let bytes: [UInt8]
    private let text: [UInt8]
    /// Places in ``text`` of the characters.
    private let places: [Int]
    private let isForURLs: Bool

    /// Reads `text`; nil where it is not base64.
    init?(_ text: [UInt8]) {
        var places: [Int] = []
        places.reserveCapacity(text.count)
        var bytes: [UInt8] = []
        var (buffer, bits, padding): (UInt32, Int, Int) = (0, 0, 0)
        var isForURLs = false
        for (index, byte) in text.enumerated() {
            switch byte {
            case 0x0A, 0x0D: continue
            case 0x3D:
                padding += 1
                continue
            default: break
            }
            guard padding == 0, let value = Self.value(byte) else { return nil }
            if byte == 0x2D || byte == 0x5F { isForURLs = true }
            places.append(index)
            buffer = buffer << 6 | UInt32(value)
            bits += 6
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
        }
        guard !places.isEmpty, places.count % 4 != 1, padding <= 2 else { return nil }
        self.bytes = bytes
        self.text = text
        self.places = places
        self.isForURLs = isForURLs
    }

    /// The text that encodes `other`, which has as many bytes.
    func encode(_ other: [UInt8]) -> [UInt8] {
        guard other.count == bytes.count else { return text }
        var result = text
        for group in stride(from: 0, to: other.count, by: 3) {
            let three = other[group..<min(group + 3, other.count)]
            var value = three.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            value <<= UInt32(8 * (3 - three.count))
            for index in 0...three.count {
                let place = group / 3 * 4 + index
                guard place < places.count else { break }
                let digit = UInt8(truncatingIfNeeded: value >> UInt32(18 - 6 * index) & 0x3F)
                result[places[place]] = character(digit)
            }
        }
        return result
    }

    private func character(_ value: UInt8) -> UInt8 {
        switch value {
        case ..<26: 0x41 + value
        case ..<52: 0x61 + value - 26
        case ..<62: 0x30 + value - 52
        case 62: isForURLs ? 0x2D : 0x2B
        default: isForURLs ? 0x5F : 0x2F
        }
    }

    private static func value(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x41...0x5A: byte - 0x41
        case 0x61...0x7A: byte - 0x61 + 26
        case 0x30...0x39: byte - 0x30 + 52
        case 0x2B, 0x2D: 62
        case 0x2F, 0x5F: 63
        default: nil
        }
    }
}
