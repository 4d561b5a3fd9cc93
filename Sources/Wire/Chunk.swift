/// Bytes as one read delivered them.
///
/// Chunks are the truth of a trace: never updated, and everything that decoding finds can be built
/// from them again.
public struct Chunk: Hashable, Sendable {
    /// Who made the bytes.
    public enum Origin: Int, Hashable, Sendable {
        /// Sent by a peer; 0 in the trace.
        case peer = 0
        /// Tapedeck made them, in the name of ``Chunk/sender``; 1 in the trace.
        case tapedeck = 1
    }

    /// The connection.
    public var connection: ConnectionID
    /// The TCP connection that the bytes came from, or went to where Tapedeck made them.
    public var leg: LegID
    /// Who sent the bytes, or in whose name they were made.
    public var sender: Peer
    /// Who made the bytes.
    public var origin: Origin
    /// When the read returned.
    public var at: Instant
    /// What was received, after TLS and before any patch; at least one byte.
    public var bytes: [UInt8]
    /// Where the forwarded bytes differ, in ascending order of offset, not overlapping.
    public var patches: [Patch]
    /// Which of the bytes went on late or not at all, in ascending order of offset, not overlapping.
    public var deliveries: [Delivery]

    /// A chunk with these values.
    public init(
        connection: ConnectionID, leg: LegID, sender: Peer, origin: Origin = .peer, at: Instant,
        bytes: [UInt8], patches: [Patch] = [], deliveries: [Delivery] = []
    ) {
        self.connection = connection
        self.leg = leg
        self.sender = sender
        self.origin = origin
        self.at = at
        self.bytes = bytes
        self.patches = patches
        self.deliveries = deliveries
    }

    /// What the receiver got: without what was not delivered, and with all patches.
    public var received: [UInt8] { ChunkView(of: self, hadBy: sender.other).bytes }

    /// Whether sender and receiver had different bytes of it, or at different times.
    public var differs: Bool {
        origin == .tapedeck || !deliveries.isEmpty || patches.contains { !$0.reason.isRewrite }
    }
}
