/// Rows in ClickHouse's format RowBinary.
///
/// Source: "RowBinary", ClickHouse's documentation of formats: numbers in little-endian order, texts
/// and arrays after their count as LEB128, a byte that is 1 for NULL before what may be NULL. A row has
/// dozens of values, and an array would ask at each of them whether it is shared.
final class RowBinary {
    private var buffer: UnsafeMutableRawPointer
    private var capacity = 1 << 18

    /// No row.
    init() { buffer = .allocate(byteCount: capacity, alignment: 8) }

    deinit { buffer.deallocate() }

    /// The number of bytes so far.
    private(set) var count = 0

    /// A copy of the rows so far.
    var bytes: [UInt8] { withBytes { Array($0) } }

    /// A checksum of the rows so far.
    var checksum: UInt64 { withBytes { RowChecksum.of($0) } }

    /// Calls `body` with the rows so far.
    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: buffer, count: count))
    }

    /// Makes sure that `more` bytes can be written behind the others.
    @inline(__always) private func reserve(_ more: Int) {
        if capacity - count < more { grow(more) }
    }

    private func grow(_ more: Int) {
        capacity = max(2 * capacity, count + more)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
        larger.copyMemory(from: buffer, byteCount: count)
        buffer.deallocate()
        buffer = larger
    }

    @inline(__always) private func write(_ byte: UInt8) {
        buffer.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    @inline(__always) private func write(_ text: UnsafeRawBufferPointer) {
        guard let start = text.baseAddress else { return }
        (buffer + count).copyMemory(from: start, byteCount: text.count)
        count += text.count
    }

    /// Appends a number.
    @inline(__always) func append(_ number: Int64) {
        reserve(8)
        buffer.storeBytes(of: number.littleEndian, toByteOffset: count, as: Int64.self)
        count += 8
    }

    /// Appends the number of a day.
    func append(day: Int) {
        reserve(2)
        let value = UInt16(clamping: day)
        write(UInt8(value & 0xFF))
        write(UInt8(value >> 8))
    }

    /// Appends whether what follows is NULL.
    @inline(__always) func append(isNull: Bool) {
        reserve(1)
        write(isNull ? 1 : 0)
    }

    /// Appends a count.
    @inline(__always) func append(count: Int) {
        reserve(10)
        var rest = count
        while rest >= 0x80 {
            write(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        write(UInt8(rest))
    }

    /// Appends a text or bytes.
    @inline(__always) func append(text: UnsafeRawBufferPointer) {
        append(count: text.count)
        reserve(text.count)
        write(text)
    }

    /// Appends a text with the letters of ASCII in lower case.
    func append(lowercasing text: UnsafeRawBufferPointer) {
        append(count: text.count)
        reserve(text.count)
        for byte in text { write(byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte) }
    }

    /// Appends a text.
    func append(text: [UInt8]) {
        text.withUnsafeBytes { append(text: $0) }
    }

    /// Appends what is encoded already.
    func append(encoded: [UInt8]) {
        reserve(encoded.count)
        encoded.withUnsafeBytes { write($0) }
    }

    /// Appends an array of texts.
    func append(texts: [[UInt8]]) {
        append(count: texts.count)
        for text in texts { append(text: text) }
    }
}

/// A checksum of bytes: FNV-1a over words of eight bytes in four lanes and their count, fast rather than
/// strong, since it is compared with what the same program computed.
struct RowChecksum {
    private static let prime: UInt64 = 0x100_0000_01B3

    /// The checksum of `bytes`.
    static func of(_ bytes: [UInt8]) -> UInt64 { bytes.withUnsafeBytes { of($0) } }

    /// The checksum of `raw`.
    static func of(_ raw: UnsafeRawBufferPointer) -> UInt64 {
        var lanes = SIMD4<UInt64>(
            0xCBF2_9CE4_8422_2325, 0x8422_2325_CBF2_9CE4, 0x9CE4_8422_2325_CBF2,
            0x2325_CBF2_9CE4_8422)
        var place = 0
        while place + 32 <= raw.count {
            let words = raw.loadUnaligned(fromByteOffset: place, as: SIMD4<UInt64>.self)
            lanes = (lanes ^ words) &* SIMD4(repeating: prime)
            lanes ^= lanes &>> 29
            place += 32
        }
        var hash = UInt64(raw.count)
        for lane in 0..<4 { hash = (hash ^ lanes[lane]) &* prime }
        while place < raw.count {
            hash = (hash ^ UInt64(raw[place])) &* prime
            place += 1
        }
        return hash ^ hash >> 29
    }
}
