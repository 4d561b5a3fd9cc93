public import Wire

/// What the two ends of a TCP connection were given, in the order in which it became certain.
public enum StreamEvent: Hashable, Sendable {
    /// Number of a TCP connection in one capture, from 1.
    public typealias Number = Int

    /// Why a connection is over.
    public enum Closing: String, Hashable, Sendable, CaseIterable {
        /// Both ends sent a FIN.
        case closed
        /// One end sent a RST.
        case reset
        /// The same two ends began another connection.
        case replaced
        /// Nothing was seen for so long that it was abandoned to bound memory.
        case idle
        /// The capture ends.
        case captureEnded = "capture-ended"
    }

    /// A connection was found; where its SYN was not seen, the roles are guessed.
    case opened(
        Number, client: Endpoint, server: Endpoint, atUnixNanoseconds: Int64, hasHandshake: Bool)
    /// Bytes arrived, each once and in order.
    case bytes(Number, sender: Peer, atUnixNanoseconds: Int64, ArraySlice<UInt8>)
    /// Bytes are missing, and those after them follow.
    case missing(
        Number, sender: Peer, atUnixNanoseconds: Int64, untilUnixNanoseconds: Int64, count: Int64)
    /// One side closed its direction.
    case ended(Number, sender: Peer, atUnixNanoseconds: Int64)
    /// The connection is over.
    case closed(Number, atUnixNanoseconds: Int64, Closing)
}
