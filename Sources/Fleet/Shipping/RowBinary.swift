/// Rows in ClickHouse's format RowBinary.
///
/// Source: "RowBinary", ClickHouse's documentation of formats: numbers in little-endian order, texts
/// and arrays after their count as LEB128, a byte that is 1 for NULL before what may be NULL.
struct RowBinary {
    /// The rows so far.
    private(set) var bytes: [UInt8] = []

    /// No row.
    init() { bytes.reserveCapacity(1 << 16) }

    /// Appends a number.
    @inline(__always) mutating func append(_ number: Int64) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends the number of a day.
    mutating func append(day: Int) {
        let value = UInt16(clamping: day)
        bytes.append(UInt8(value & 0xFF))
        bytes.append(UInt8(value >> 8))
    }

    /// Appends whether what follows is NULL.
    @inline(__always) mutating func append(isNull: Bool) { bytes.append(isNull ? 1 : 0) }

    /// Appends a count.
    @inline(__always) mutating func append(count: Int) {
        var rest = count
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Appends a text or bytes.
    @inline(__always) mutating func append(text: UnsafeRawBufferPointer) {
        append(count: text.count)
        bytes.append(contentsOf: text)
    }

    /// Appends a text with the letters of ASCII in lower case.
    mutating func append(lowercasing text: UnsafeRawBufferPointer) {
        append(count: text.count)
        for byte in text { bytes.append(byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte) }
    }

    /// Appends a text.
    mutating func append(text: [UInt8]) {
        append(count: text.count)
        bytes.append(contentsOf: text)
    }

    /// Appends what is encoded already.
    mutating func append(encoded: [UInt8]) { bytes.append(contentsOf: encoded) }

    /// Appends an array of texts.
    mutating func append(texts: [[UInt8]]) {
        append(count: texts.count)
        for text in texts { append(text: text) }
    }
}

/// A checksum of bytes: FNV-1a over words of eight bytes and their count, fast rather than strong,
/// since it is compared with what the same program computed.
struct RowChecksum {
    /// The checksum of `bytes`.
    static func of(_ bytes: [UInt8]) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        bytes.withUnsafeBytes { raw in
            var place = 0
            while place + 8 <= raw.count {
                hash =
                    (hash ^ raw.loadUnaligned(fromByteOffset: place, as: UInt64.self))
                    &* 0x100_0000_01B3
                hash ^= hash >> 29
                place += 8
            }
            while place < raw.count {
                hash = (hash ^ UInt64(raw[place])) &* 0x100_0000_01B3
                place += 1
            }
        }
        return (hash ^ UInt64(bytes.count)) &* 0x100_0000_01B3
    }
}
