/// The next item of a capture, from a file or live.
public enum Reading: Hashable, Sendable {
    /// A TCP segment.
    case segment(TCPSegment)
    /// The text of a TLS key log, which a pcapng file holds before the packets it is for.
    case secrets([UInt8])
    /// Nothing arrived for a time; only a live capture returns it, so that the caller can do other
    /// work.
    case nothingYet
}
