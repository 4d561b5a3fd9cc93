internal import Wire

/// The `ccid`s of a recording, each kept once and named by a number.
///
/// Clients make them of 32 hexadecimal digits (specification, change message), which take 17 bytes
/// here; others are kept as they are.
struct CCIDTable: Sendable {
    /// Begins what is kept of a `ccid` of 32 digits: two of them in each byte after it.
    private static let packed: UInt8 = 0
    /// Begins what is kept of one that begins with this or the byte before.
    private static let escaped: UInt8 = 1

    private var texts = TextTable()
    private var scratch: [UInt8] = []

    /// Number of different ones.
    var count: Int { texts.count }

    /// Makes room for this many.
    mutating func reserveCapacity(_ count: Int) { texts.reserveCapacity(count) }

    /// The number of a `ccid`, which is given one where it has none.
    mutating func intern(_ ccid: UnsafeRawBufferPointer) -> UInt32 {
        Self.keep(ccid, in: &scratch)
        return scratch.withUnsafeBytes { texts.intern($0) }
    }

    /// The number of a `ccid`; nil where it has none.
    func find(_ ccid: String) -> UInt32? {
        var (ccid, kept) = (ccid, [UInt8]())
        ccid.withUTF8 { Self.keep(UnsafeRawBufferPointer($0), in: &kept) }
        return kept.withUnsafeBytes { texts.find($0) }
    }

    /// The `ccid` with this number; empty where there is none.
    subscript(_ number: UInt32) -> String {
        texts.bytes(number) { kept in
            switch kept.first {
            case Self.packed: Self.unpacked(kept.dropFirst())
            case Self.escaped: String(decoding: kept.dropFirst(), as: UTF8.self)
            default: String(decoding: kept, as: UTF8.self)
            }
        }
    }

    private static func keep(_ ccid: UnsafeRawBufferPointer, in kept: inout [UInt8]) {
        kept.removeAll(keepingCapacity: true)
        if let digits = PackedDigits(ccid) {
            kept.append(packed)
            withUnsafeBytes(of: digits) { kept.append(contentsOf: $0) }
            return
        }
        if let first = ccid.first, first <= escaped { kept.append(escaped) }
        kept.append(contentsOf: ccid)
    }

    private static func unpacked(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

/// The 16 bytes of 32 hexadecimal digits, where they are in lower case, as they are written back.
private struct PackedDigits {
    private var first: UInt64
    private var second: UInt64

    init?(_ digits: UnsafeRawBufferPointer) {
        guard digits.count == 32,
            let one = Self.bytes(digits, 0), let two = Self.bytes(digits, 8),
            let three = Self.bytes(digits, 16), let four = Self.bytes(digits, 24)
        else { return nil }
        // The first digits are in the lowest byte, which has to be the first in memory.
        first = (one | two << 32).littleEndian
        second = (three | four << 32).littleEndian
    }

    /// The value of eight digits, computed at once: the first two in the lowest byte.
    private static func bytes(_ digits: UnsafeRawBufferPointer, _ offset: Int) -> UInt64? {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let text = UInt64(
            littleEndian: digits.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        // Letters have the bit of 64, and `a` ends in 1.
        let values = (text & (0x0F * ones)) &+ 9 &* (text >> 6 & ones)
        let isLetter = (values &+ 118 &* ones) >> 7 & ones
        guard values & (0xF0 * ones) == 0, values &+ 0x30 &* ones &+ 39 &* isLetter == text else {
            return nil
        }
        let pairs = (values << 4 | values >> 8) & 0x00FF_00FF_00FF_00FF
        let fours = (pairs | pairs >> 8) & 0x0000_FFFF_0000_FFFF
        return (fours | fours >> 16) & 0xFFFF_FFFF
    }
}
