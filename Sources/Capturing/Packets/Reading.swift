/// What a capture gives next, from a file or live.
public enum Reading: Hashable, Sendable {
    /// A TCP segment.
    case segment(TCPSegment)
    /// The text of a TLS key log, which a pcapng file holds before the packets it is for.
    case secrets([UInt8])
    /// Nothing came for a while; only a live capture says so, to let others take their turn.
    case nothingYet
}
