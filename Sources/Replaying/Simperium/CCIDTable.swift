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
        if ccid.count == 32 {
            kept.append(packed)
            for place in stride(from: 0, to: 32, by: 2) {
                guard let high = digit(ccid[place]), let low = digit(ccid[place + 1]) else { break }
                kept.append(high << 4 | low)
            }
            if kept.count == 17 { return }
            kept.removeAll(keepingCapacity: true)
        }
        if let first = ccid.first, first <= escaped { kept.append(escaped) }
        kept += ccid
    }

    /// The value of a digit as it is written back: capital letters are kept as they are.
    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    private static func unpacked(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
