/// The header of a WebSocket frame, as it was on the wire.
///
/// A place within the bytes that were just consumed is not part of it, since that would depend on
/// how the stream was cut: it is `start` minus ``WebSocketAssembler/offset`` before the call, and
/// negative where the header began in earlier bytes. Source: RFC 6455, section 5.2.
public struct WebSocketFrameHeader: Hashable, Sendable {
    /// Offset in bytes of the first byte in the stream of its sender.
    public var start: Int64
    /// Whether it is the last of its message.
    public var fin: Bool
    /// The reserved bits in 0...7: RSV1 is 4, RSV2 is 2, RSV3 is 1.
    public var rsv: Int
    /// What the payload is.
    public var opcode: WebSocketOpcode
    /// The masking key, first byte in the highest bits; nil where the payload is not masked.
    public var mask: UInt32?
    /// Length of the payload in bytes as claimed, in 0...Int64.max.
    ///
    /// `start` plus this may lie beyond `Int64.max`.
    public var payloadSize: Int64
    /// Length of this header with the masking key in bytes, in 2...14.
    public var headerSize: Int
    /// Whether the length is written in as few bytes as it can be.
    public var isMinimal: Bool

    /// A header with these values.
    public init(
        start: Int64, fin: Bool, rsv: Int, opcode: WebSocketOpcode, mask: UInt32?,
        payloadSize: Int64, headerSize: Int, isMinimal: Bool
    ) {
        self.start = start
        self.fin = fin
        self.rsv = rsv
        self.opcode = opcode
        self.mask = mask
        self.payloadSize = payloadSize
        self.headerSize = headerSize
        self.isMinimal = isMinimal
    }

    /// What the first bytes of a frame turned out to be.
    enum Scan {
        /// More bytes are needed.
        case short
        /// A header.
        case header(WebSocketFrameHeader)
        /// A claimed length of 2^63 or more, which no frame may have.
        case tooLong(UInt64)
    }

    /// Reads the header of the frame that `bytes` begin with.
    static func scan(_ bytes: borrowing Span<UInt8>, start: Int64) -> Scan {
        guard bytes.count >= 2 else { return .short }
        let first = bytes[0]
        let second = bytes[1]
        let lengthSize =
            switch second & 0x7F {
            case 126: 2
            case 127: 8
            default: 0
            }
        let isMasked = second & 0x80 != 0
        let headerSize = 2 + lengthSize + (isMasked ? 4 : 0)
        guard bytes.count >= headerSize else { return .short }
        var length = UInt64(second & 0x7F)
        if lengthSize > 0 {
            length = 0
            for index in 2..<(2 + lengthSize) { length = length << 8 | UInt64(bytes[index]) }
        }
        var mask: UInt32?
        if isMasked {
            var key: UInt32 = 0
            for index in (headerSize - 4)..<headerSize { key = key << 8 | UInt32(bytes[index]) }
            mask = key
        }
        guard let payloadSize = Int64(exactly: length) else { return .tooLong(length) }
        let isMinimal =
            switch lengthSize {
            case 2: length > 125
            case 8: length > 0xFFFF
            default: true
            }
        return .header(
            WebSocketFrameHeader(
                start: start, fin: first & 0x80 != 0, rsv: Int(first >> 4 & 7),
                opcode: WebSocketOpcode(rawValue: first), mask: mask, payloadSize: payloadSize,
                headerSize: headerSize, isMinimal: isMinimal))
    }
}
