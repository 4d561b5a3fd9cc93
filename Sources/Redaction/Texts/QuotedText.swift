/// Quoted-printable text whose bytes are changed in place: escapes and soft line breaks stay.
///
/// Source: RFC 2045, section 6.7.
struct QuotedText {
    /// What it encodes.
    let bytes: [UInt8]
    private let text: [UInt8]
    /// The place of each byte, and whether it is an escape.
    private let places: [(start: Int, isEscaped: Bool)]

    /// Reads `text`; an invalid escape is literal text.
    init(_ text: [UInt8]) {
        var bytes: [UInt8] = []
        var places: [(start: Int, isEscaped: Bool)] = []
        var position = 0
        while position < text.count {
            let byte = text[position]
            if byte == 0x3D, text[position...].dropFirst().starts(with: [0x0D, 0x0A]) {
                position += 3
            } else if byte == 0x3D, position + 2 < text.count,
                let value = UInt8(
                    String(decoding: text[position + 1...position + 2], as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                places.append((position, true))
                position += 3
            } else {
                bytes.append(byte)
                places.append((position, false))
                position += 1
            }
        }
        self.bytes = bytes
        self.text = text
        self.places = places
    }

    /// The text that encodes `other`, which has as many bytes.
    func encode(_ other: [UInt8]) -> [UInt8] {
        guard other.count == bytes.count else { return text }
        var result = text
        for (byte, place) in zip(other, places) {
            if place.isEscaped {
                let digits = String(byte, radix: 16, uppercase: true)
                result.replaceSubrange(
                    place.start + 1..<place.start + 3, with: ((byte < 16 ? "0" : "") + digits).utf8)
            } else {
                result[place.start] = byte
            }
        }
        return result
    }
}
