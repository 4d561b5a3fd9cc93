/// Bytes of one segment that wait to be delivered, or the place of bytes that were cut off.
struct Piece: Sendable {
    /// Place of the first byte.
    var start: Position
    /// The bytes; none where they were cut off.
    var bytes: [UInt8] = []
    /// How many bytes are known to be absent, where ``bytes`` is empty.
    var absent: Position = 0
    /// Place in the other direction up to which the sender had everything when it sent this.
    var requires: Position
    /// When its segment was captured, in nanoseconds since 1970.
    var atUnixNanoseconds: Int64
    /// Which segment of its connection it came with.
    var order: Int64

    /// The place after its last byte.
    var end: Position { start + (isAbsent ? absent : Position(bytes.count)) }

    /// Whether it has no bytes.
    var isAbsent: Bool { bytes.isEmpty }

    /// What it costs, in bytes.
    var cost: Int { bytes.count + StreamLimits.overhead }
}
