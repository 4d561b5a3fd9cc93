/// Reads and writes single Unicode scalars as UTF-8.
enum UTF8Scalar {
    /// The scalar whose encoding begins at `position`, and the length of that in bytes.
    ///
    /// - Returns: Nil where the bytes there are not well-formed UTF-8.
    static func decode(
        _ bytes: UnsafeRawBufferPointer, at position: Int
    ) -> (scalar: UInt32, length: Int)? {
        let first = bytes[position]
        let length: Int
        var scalar: UInt32
        switch first {
        case 0..<0x80: return (UInt32(first), 1)
        case 0xC2...0xDF: (length, scalar) = (2, UInt32(first & 0x1F))
        case 0xE0...0xEF: (length, scalar) = (3, UInt32(first & 0x0F))
        case 0xF0...0xF4: (length, scalar) = (4, UInt32(first & 0x07))
        default: return nil
        }
        guard bytes.count - position >= length else { return nil }
        for offset in 1..<length {
            let byte = bytes[position + offset]
            guard byte & 0xC0 == 0x80 else { return nil }
            scalar = scalar << 6 | UInt32(byte & 0x3F)
        }
        let least: UInt32 = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x1_0000
        guard scalar >= least, Unicode.Scalar(scalar) != nil else { return nil }
        return (scalar, length)
    }

    /// Appends the UTF-8 encoding of `scalar`, which must be a valid one, else U+FFFD.
    static func append(_ scalar: UInt32, to bytes: inout [UInt8]) {
        bytes.append(
            contentsOf: Unicode.UTF8.encode(Unicode.Scalar(scalar) ?? "\u{FFFD}") ?? .init())
    }
}
