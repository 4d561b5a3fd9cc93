public import Wire

/// A WebSocket frame as on the wire.
public struct FrameRow: Hashable, Sendable {
    /// The message the frame belongs to.
    public var message: MessageID
    /// The connection.
    public var connection: ConnectionID
    /// Who sent it.
    public var sender: Peer
    /// When its first byte arrived.
    public var at: Instant
    /// Place among the frames of its message, from 0.
    public var position: Int
    /// Whether it is the last of its message.
    public var fin: Bool
    /// The three reserved bits; RSV1 is 4 and marks compression.
    public var rsv: Int
    /// Opcode as sent, in 0...15.
    public var opcode: Int
    /// Masking key; nil where the frame is not masked.
    public var mask: UInt32?
    /// Length of header and masking key in bytes.
    public var headerSize: Int
    /// Length of the payload in bytes.
    public var payloadSize: Int64
    /// First byte of the header.
    public var place: Place

    /// A frame row with these values.
    public init(
        message: MessageID, connection: ConnectionID, sender: Peer, at: Instant, position: Int,
        fin: Bool, rsv: Int, opcode: Int, mask: UInt32?, headerSize: Int, payloadSize: Int64,
        place: Place
    ) {
        self.message = message
        self.connection = connection
        self.sender = sender
        self.at = at
        self.position = position
        self.fin = fin
        self.rsv = rsv
        self.opcode = opcode
        self.mask = mask
        self.headerSize = headerSize
        self.payloadSize = payloadSize
        self.place = place
    }
}

/// A WebSocket message as assembled from its frames.
public struct MessageRow: Hashable, Sendable {
    /// Number of the message.
    public var id: MessageID
    /// The connection.
    public var connection: ConnectionID
    /// The exchange that opened the WebSocket.
    public var exchange: ExchangeID
    /// Who sent it.
    public var sender: Peer
    /// When its first byte arrived.
    public var at: Instant
    /// When its last byte arrived.
    public var endedAt: Instant
    /// Opcode of the first frame, in 0...15.
    public var opcode: Int
    /// The first bytes of the payload, unmasked and inflated.
    public var payload: [UInt8]
    /// Whether ``payload`` is well-formed UTF-8.
    public var isText: Bool
    /// Size of the whole payload in bytes, unmasked and inflated.
    public var size: Int64
    /// Size of the payloads of its frames on the wire in bytes.
    public var wireSize: Int64
    /// Whether it was compressed.
    public var isCompressed: Bool
    /// Number of its frames.
    public var frames: Int
    /// Code of a close message.
    public var closeCode: Int?
    /// The error; nil where it is valid.
    public var problem: String?
    /// First byte of the first frame.
    public var place: Place
    /// Whose conversation it belongs to.
    public var side = Side.both
    /// What became of it on its way.
    public var fate = Fate.same
    /// The row of the other side that corresponds to it.
    public var counterpart: MessageID?

    /// A message row with these values.
    public init(
        id: MessageID, connection: ConnectionID, exchange: ExchangeID, sender: Peer, at: Instant,
        endedAt: Instant, opcode: Int, payload: [UInt8], isText: Bool, size: Int64,
        wireSize: Int64, isCompressed: Bool, frames: Int, closeCode: Int?, problem: String?,
        place: Place
    ) {
        self.id = id
        self.connection = connection
        self.exchange = exchange
        self.sender = sender
        self.at = at
        self.endedAt = endedAt
        self.opcode = opcode
        self.payload = payload
        self.isText = isText
        self.size = size
        self.wireSize = wireSize
        self.isCompressed = isCompressed
        self.frames = frames
        self.closeCode = closeCode
        self.problem = problem
        self.place = place
    }
}
