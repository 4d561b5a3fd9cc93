/// A WebSocket message as assembled from its frames, or the part that was received.
public struct WebSocketMessage: Hashable, Sendable {
    /// Opcode of its first frame; `continuation` where the first fragment is missing.
    public var opcode: WebSocketOpcode
    /// The first bytes of the payload, unmasked and inflated.
    ///
    /// At most ``WebSocketLimits/maxStoredPayload``. Where a compressed message could not be
    /// inflated at all because earlier ones were not, these are the compressed bytes, unmasked.
    public var payload: [UInt8]
    /// Size of the whole payload in bytes, unmasked and inflated; at least `payload.count`.
    ///
    /// Where inflating stopped early, what was inflated until then.
    public var size: Int64
    /// Size of the payloads of its frames on the wire in bytes, as far as they arrived.
    public var wireSize: Int64
    /// Whether permessage-deflate compressed it.
    public var isCompressed: Bool
    /// Number of its frames, at least 1.
    public var frames: Int
    /// Status code of a close message; nil without one.
    public var closeCode: Int?
    /// Whether ``payload`` is well-formed UTF-8; it may end inside a character only if it was cut.
    public var isText: Bool
    /// Offset of the first byte of its first frame in the stream of its sender.
    public var start: Int64
    /// Offset after its last byte in the stream of its sender.
    public var end: Int64
    /// The error, as text; nil where it is valid.
    public var problem: String?
    /// Whether bytes of it are missing from what was seen, which is not its sender's doing.
    ///
    /// ``payload`` ends before the first of them.
    public var hasGap: Bool

    /// A message with these values.
    public init(
        opcode: WebSocketOpcode, payload: [UInt8], size: Int64, wireSize: Int64,
        isCompressed: Bool, frames: Int, closeCode: Int?, isText: Bool, start: Int64, end: Int64,
        problem: String?, hasGap: Bool = false
    ) {
        self.opcode = opcode
        self.payload = payload
        self.size = size
        self.wireSize = wireSize
        self.isCompressed = isCompressed
        self.frames = frames
        self.closeCode = closeCode
        self.isText = isText
        self.start = start
        self.end = end
        self.problem = problem
        self.hasGap = hasGap
    }

    /// The reason in a close message after the code; empty without one and for other messages.
    public var closeReason: ArraySlice<UInt8> { closeCode == nil ? [] : payload.dropFirst(2) }
}
