public import Wire

/// What comes out of the encrypted stream of a connection.
public enum TLSEvent: Hashable, Sendable {
    /// What the handshake shows; once for each connection of which a hello was captured.
    case hello(TLSFacts, atUnixNanoseconds: Int64)
    /// Application data, the bytes of one record.
    case plain(sender: Peer, atUnixNanoseconds: Int64, [UInt8])
    /// Bytes that could not be read.
    case sealed(TLSSealed)
    /// One side sent an alert.
    case alert(TLSAlert)
    /// What is odd, as a sentence.
    case note(sender: Peer, atUnixNanoseconds: Int64, String)
}
