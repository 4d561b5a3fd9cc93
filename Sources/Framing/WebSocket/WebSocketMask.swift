/// Masks payloads, which is also what takes a mask off.
///
/// Source: RFC 6455, section 5.3.
enum WebSocketMask {
    /// Masks `bytes` from `start` on in place.
    ///
    /// - Parameters:
    ///   - key: The masking key, first byte in the highest bits.
    ///   - phase: Offset in the payload of the byte at `start`; only the two low bits count.
    ///   - bytes: What to mask.
    ///   - start: Index of the first byte to mask, in 0...bytes.count.
    static func apply(_ key: UInt32, phase: Int64, to bytes: inout [UInt8], from start: Int) {
        let turn = UInt32(truncatingIfNeeded: phase & 3) * 8
        let rotated = key &<< turn | (turn == 0 ? 0 : key &>> (32 - turn))
        let word = (UInt64(rotated) << 32 | UInt64(rotated)).bigEndian
        var span = bytes.mutableSpan
        let count = span.count
        var index = start
        var raw = span.mutableBytes
        while index &+ 8 <= count {
            let masked = raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self) ^ word
            raw.storeBytes(of: masked, toByteOffset: index, as: UInt64.self)
            index &+= 8
        }
        var rest = word.littleEndian
        while index < count {
            let masked =
                raw.unsafeLoad(fromByteOffset: index, as: UInt8.self)
                ^ UInt8(truncatingIfNeeded: rest)
            raw.storeBytes(of: masked, toByteOffset: index, as: UInt8.self)
            rest &>>= 8
            index &+= 1
        }
    }
}
