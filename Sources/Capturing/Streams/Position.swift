/// A place in one direction of a connection: its sequence number without wrap-around.
///
/// A connection may carry any number of bytes, and sequence numbers begin again every 4 GiB.
typealias Position = Int64

extension Position {
    /// The place of the first sequence number known of a direction.
    ///
    /// There is room for earlier ones below it.
    init(first sequence: UInt32) { self = 1 << 32 + Position(sequence) }

    /// The place with this sequence number that is nearest to this one.
    func nearest(_ sequence: UInt32) -> Position {
        self + sequence.distance(from: UInt32(truncatingIfNeeded: self))
    }
}

extension UInt32 {
    /// How far this sequence number is behind `other`, in -2^31..<2^31 (RFC 1982).
    func distance(from other: UInt32) -> Position { Position(Int32(bitPattern: self &- other)) }
}
