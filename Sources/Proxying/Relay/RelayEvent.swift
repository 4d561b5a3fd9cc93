public import Wire

/// Something that happened to the sockets of one connection.
public enum RelayEvent: Hashable, Sendable {
    /// Bytes came on a leg, after TLS.
    case received(LegID, [UInt8])
    /// Bytes came on a leg, and the receiver gets others in their place; none where these are empty.
    case altered(LegID, [UInt8], by: [UInt8])
    /// Bytes came on a leg that Tapedeck takes in the receiver's place; where they are to be read as
    /// others, the trace says so.
    case kept(LegID, [UInt8], readAs: [UInt8]?)
    /// Bytes were made in the name of a leg's peer.
    case made(LegID, [UInt8])
    /// The request that was kept before has this answer, behind which the connection may close.
    case answered([UInt8], closes: Bool)
    /// The oldest request that waits for an answer will get none.
    case swallowed
    /// All legs are to be closed, or reset.
    case cut(isReset: Bool)
    /// The receiver of a peer's bytes is to be told that no more come.
    case finished(Peer)
    /// A moment that was asked for has come.
    case woke
    /// The start of a head was held for too long, or too much is held: it goes on as it is.
    case overdue
    /// A server leg is ready to be written to: connected, and TLS is up where it was asked for.
    case ready(LegID)
    /// A server leg could not be made ready.
    case refused(LegID, String)
    /// A server leg was not opened for a reason of the proxy's own.
    case declined(LegID, Refusal)
    /// The peer of a leg will send no more.
    case ended(LegID)
    /// A leg is closed; whether it was reset, and why for people.
    case closed(LegID, isReset: Bool, String)
    /// TLS is up on the client's leg.
    case clientSecured
    /// Something about a leg that only the trace has to know, with the particulars.
    case noted(LegID, EventRow.Kind, String)
}
