package import Framing

/// The gzip coding of a complete body: RFC 1952.
package enum Gzip {
    /// The minimum size of a body that is compressed, in bytes.
    package static let worthwhile = 512

    /// Magic number, deflate, no flags, no time, no level, Unix.
    private static let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]

    /// Whether a client accepts gzip: RFC 9110, 12.5.3.
    ///
    /// `accepted` is the value of `Accept-Encoding`; without one the body is not compressed.
    package static func isAccepted(_ accepted: String?) -> Bool {
        guard let accepted else { return false }
        var star = false
        for element in accepted.split(separator: ",") {
            let parts = element.split(separator: ";").map { part in
                part.filter { $0 != " " && $0 != "\t" }.lowercased()
            }
            guard let name = parts.first else { continue }
            let isRefused = parts.dropFirst().contains { part in
                part.hasPrefix("q=") && !part.dropFirst(2).contains { $0 != "0" && $0 != "." }
            }
            switch name {
            case "gzip", "x-gzip": return !isRefused
            case "*": star = !isRefused
            default: continue
            }
        }
        return star
    }

    /// `bytes` compressed; nil where there is no memory for it.
    package static func encode(_ bytes: [UInt8]) -> [UInt8]? {
        guard let deflater = MessageDeflater(level: 6, contextTakeover: false) else { return nil }
        var result = head
        if !bytes.isEmpty {
            result += deflater.deflate(bytes.span)
            // A message lacks the end of the empty stored block that it ends with.
            result += [0x00, 0x00, 0xFF, 0xFF]
        }
        // The last block, empty.
        result += [0x03, 0x00]
        append(checksum(bytes), &result)
        append(UInt32(truncatingIfNeeded: bytes.count), &result)
        return result
    }

    /// The coding of a body in independent pieces: a value.
    package struct Pieces: Sendable {
        private var checksum = UInt32.max
        private var count: UInt32 = 0
        private var hasBegun = false

        /// An empty body so far.
        package init() {}

        /// One more piece, compressed; stored where there is no memory for that.
        package mutating func encode(_ piece: [UInt8]) -> [UInt8] {
            checksum = Gzip.checksum(piece, after: checksum)
            count &+= UInt32(truncatingIfNeeded: piece.count)
            var result = begin()
            guard !piece.isEmpty else { return result }
            guard let deflater = MessageDeflater(level: 6, contextTakeover: false) else {
                for start in stride(from: 0, to: piece.count, by: 0xFFFF) {
                    let block = piece[start..<min(start + 0xFFFF, piece.count)]
                    let size = UInt16(block.count)
                    result.append(0)
                    for half in [size, ~size] {
                        result += [UInt8(truncatingIfNeeded: half), UInt8(half >> 8)]
                    }
                    result += block
                }
                return result
            }
            result += deflater.deflate(piece.span)
            result += [0x00, 0x00, 0xFF, 0xFF]
            return result
        }

        /// The end of the body.
        package mutating func finish() -> [UInt8] {
            var result = begin() + [0x03, 0x00]
            Gzip.append(~checksum, &result)
            Gzip.append(count, &result)
            return result
        }

        private mutating func begin() -> [UInt8] {
            defer { hasBegun = true }
            return hasBegun ? [] : Gzip.head
        }
    }

    /// Decodes `bytes` with these codings.
    ///
    /// - Returns: Nil where it would be larger than `most` bytes.
    /// - Throws: ``ContentCodingError``.
    package static func decode(
        _ bytes: [UInt8], _ codings: String, most: Int
    ) throws(ContentCodingError) -> [UInt8]? {
        let decoder = try ContentDecoder(
            codings: codings, limits: ContentDecodingLimits(maxDecodedBytes: Int64(most)))
        var result: [UInt8] = []
        do throws(ContentCodingError) {
            try decoder.decode(bytes.span) { piece throws(ContentCodingError) in
                piece.withUnsafeBufferPointer { result.append(contentsOf: $0) }
            }
            try decoder.finish()
        } catch .bomb {
            return nil
        }
        return result
    }

    private static func append(_ number: UInt32, _ bytes: inout [UInt8]) {
        for shift: UInt32 in [0, 8, 16, 24] {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    /// CRC-32 as RFC 1952, 8 has it.
    package static func checksum(_ bytes: [UInt8]) -> UInt32 { ~checksum(bytes, after: .max) }

    /// The register of the CRC after `bytes`, before it is inverted.
    private static func checksum(_ bytes: [UInt8], after register: UInt32) -> UInt32 {
        var value = register
        table.withUnsafeBufferPointer { table in
            for byte in bytes {
                value = table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ (value >> 8)
            }
        }
        return value
    }

    private static let table: [UInt32] = (0..<256 as Range<UInt32>).map { start in
        (0..<8).reduce(start) { value, _ in
            value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1
        }
    }
}
