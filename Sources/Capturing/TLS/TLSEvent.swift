public import Wire

/// What comes out of the encrypted stream of a connection.
public enum TLSEvent: Hashable, Sendable {
    /// What the handshake shows; once for each connection of which a hello was captured.
    case hello(TLSFacts, atUnixNanoseconds: Int64)
    /// Application data, the bytes of one record.
    case plain(sender: Peer, atUnixNanoseconds: Int64, [UInt8])
    /// Bytes that could not be read.
    case sealed(TLSSealed)
    /// One side told the other of TLS itself.
    case alert(TLSAlert)
    /// What is odd, in a sentence for people.
    case note(sender: Peer, atUnixNanoseconds: Int64, String)
}
