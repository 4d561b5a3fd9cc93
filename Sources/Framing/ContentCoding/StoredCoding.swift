/// Encodes content in a content coding without compressing it.
///
/// Content that was changed has to be written in the coding that its head names. Blocks that store bytes as
/// they are need no compressor, and what reads the coding reads them. Sources: RFC 1951, 3.2.4;
/// RFC 1952; RFC 1950; RFC 7932, 9.2; RFC 8878, 3.1.1.
package enum StoredCoding {
    /// `content` with all `codings` applied in their order.
    ///
    /// `isWhole` is whether the content is complete; where it was cut off, so is the result.
    package static func encode(
        _ content: [UInt8], _ codings: [ContentCoding], isWhole: Bool
    ) -> [UInt8] {
        codings.reduce(content) { content, coding in
            switch coding {
            case .gzip: gzip(content, isWhole)
            case .deflate: zlib(content, isWhole)
            case .brotli: brotli(content, isWhole)
            case .zstandard: zstandard(content, isWhole)
            }
        }
    }

    // MARK: deflate

    private static func gzip(_ content: [UInt8], _ isWhole: Bool) -> [UInt8] {
        let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
        let body = head + deflate(content, isWhole)
        guard isWhole else { return body }
        return body + littleEndian(crc32(content), 4)
            + littleEndian(UInt32(truncatingIfNeeded: content.count), 4)
    }

    private static func zlib(_ content: [UInt8], _ isWhole: Bool) -> [UInt8] {
        let body = [0x78, 0x01] + deflate(content, isWhole)
        return isWhole ? body + littleEndian(adler32(content), 4).reversed() : body
    }

    private static func deflate(_ content: [UInt8], _ isWhole: Bool) -> [UInt8] {
        var result: [UInt8] = []
        for block in blocks(content, 65_535) {
            let isLast = isWhole && block.endIndex == content.count
            let size = UInt32(block.count)
            result.append(isLast ? 1 : 0)
            result += littleEndian(size, 2) + littleEndian(~size, 2) + block
        }
        return result
    }

    // MARK: brotli

    /// A window of 2^16 bytes, meta-blocks that are not compressed, and an empty last one.
    private static func brotli(_ content: [UInt8], _ isWhole: Bool) -> [UInt8] {
        var bits = BitWriter()
        bits.put(0, 1)
        for block in blocks(content, 65_536) where !block.isEmpty {
            bits.put(0, 1)
            bits.put(0, 2)
            bits.put(UInt32(block.count - 1), 16)
            bits.put(1, 1)
            bits.align()
            bits.bytes += block
        }
        if isWhole { bits.put(3, 2) }
        bits.align()
        return bits.bytes
    }

    private struct BitWriter {
        var bytes: [UInt8] = []
        private var buffer: UInt32 = 0
        private var count = 0

        mutating func put(_ value: UInt32, _ size: Int) {
            buffer |= value << UInt32(count)
            count += size
            while count >= 8 {
                bytes.append(UInt8(truncatingIfNeeded: buffer))
                buffer >>= 8
                count -= 8
            }
        }

        mutating func align() {
            if count > 0 { put(0, 8 - count) }
        }
    }

    // MARK: zstd

    /// A frame with a window of 128 KiB, raw blocks and no checksum.
    private static func zstandard(_ content: [UInt8], _ isWhole: Bool) -> [UInt8] {
        var result: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38]
        for block in blocks(content, 65_536) {
            let isLast: UInt32 = isWhole && block.endIndex == content.count ? 1 : 0
            result += littleEndian(UInt32(block.count) << 3 | isLast, 3) + block
        }
        return result
    }

    // MARK: Parts

    private static func blocks(_ content: [UInt8], _ size: Int) -> [ArraySlice<UInt8>] {
        guard !content.isEmpty else { return [content[...]] }
        return stride(from: 0, to: content.count, by: size).map {
            content[$0..<min($0 + size, content.count)]
        }
    }

    private static func littleEndian(_ value: UInt32, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) }
    }

    private static let crcTable: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in
            value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
        }
    }

    private static func crc32(_ content: [UInt8]) -> UInt32 {
        ~content.reduce(UInt32.max) { crcTable[Int(($0 ^ UInt32($1)) & 0xFF)] ^ $0 >> 8 }
    }

    private static func adler32(_ content: [UInt8]) -> UInt32 {
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in content {
            a = (a + UInt32(byte)) % 65_521
            b = (b + a) % 65_521
        }
        return b << 16 | a
    }
}
