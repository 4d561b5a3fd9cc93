/// Writes WebSocket frames.
public enum WebSocketFrameEncoder {
    /// Writes one frame, its length in as few bytes as it can be.
    ///
    /// Nothing is checked, so that invalid frames can be written. Source: RFC 6455, section 5.2.
    ///
    /// - Parameters:
    ///   - opcode: What the payload is.
    ///   - payload: Unmasked; compressed where `rsv` marks it.
    ///   - fin: Whether it is the last frame of its message.
    ///   - rsv: The reserved bits in 0...7; 4 marks a compressed message on its first frame.
    ///   - mask: The masking key, first byte in the highest bits; nil leaves the payload as it is.
    /// - Returns: The frame as on the wire.
    public static func encode(
        opcode: WebSocketOpcode, payload: [UInt8], fin: Bool = true, rsv: Int = 0,
        mask: UInt32? = nil
    ) -> [UInt8] {
        var frame: [UInt8] = []
        frame.reserveCapacity(payload.count + 14)
        frame.append((fin ? 0x80 : 0) | UInt8(truncatingIfNeeded: rsv & 7) << 4 | opcode.rawValue)
        let maskBit: UInt8 = mask == nil ? 0 : 0x80
        switch payload.count {
        case ...125:
            frame.append(maskBit | UInt8(truncatingIfNeeded: payload.count))
        case ...0xFFFF:
            frame.append(maskBit | 126)
            append(UInt64(payload.count), size: 2, to: &frame)
        default:
            frame.append(maskBit | 127)
            append(UInt64(payload.count), size: 8, to: &frame)
        }
        if let mask { append(UInt64(mask), size: 4, to: &frame) }
        let start = frame.count
        frame.append(contentsOf: payload)
        if let mask { WebSocketMask.apply(mask, phase: 0, to: &frame, from: start) }
        return frame
    }

    /// Appends the `size` low bytes of `number`, the highest first.
    private static func append(_ number: UInt64, size: Int, to frame: inout [UInt8]) {
        for index in (0..<size).reversed() {
            frame.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(index))))
        }
    }
}
