public import Wire

/// Something that happened to the sockets of one connection.
public enum RelayEvent: Hashable, Sendable {
    /// A client is there whose connection to this server was redirected.
    case redirected(ServerAddress)
    /// Bytes arrived on a leg, after TLS; when, where that is not now.
    case received(LegID, [UInt8], readAt: Instant? = nil)
    /// Bytes arrived on a leg, and the receiver gets others in their place.
    case altered(LegID, [UInt8], by: [UInt8], readAt: Instant? = nil)
    /// Bytes arrived on a leg, and the receiver does not get them.
    case kept(LegID, [UInt8], readAt: Instant? = nil)
    /// Bytes were made in the name of a leg's peer.
    case made(LegID, [UInt8])
    /// The request that was kept before has this answer, after which the connection may close.
    case answered([UInt8], closes: Bool)
    /// The next request of the client goes to this server, whatever server it names.
    case routed(ServerAddress)
    /// The oldest request that waits for an answer will get none.
    case swallowed
    /// All legs are to be closed, or reset.
    case cut(isReset: Bool)
    /// The leg to the receiver of a peer's bytes is to be half-closed.
    case finished(Peer)
    /// A requested time has come.
    case woke
    /// The start of a head was held for too long, or too much is held: it is forwarded unchanged.
    case overdue
    /// A server leg is ready to be written to: connected, and TLS is established where requested.
    case ready(LegID)
    /// A server leg could not be made ready.
    case refused(LegID, String, Unreachable = .other)
    /// A server leg was not opened for a reason of the proxy.
    case declined(LegID, Refusal)
    /// The peer of a leg closed its side.
    case ended(LegID)
    /// A leg is closed; whether it was reset, and why, as text.
    case closed(LegID, isReset: Bool, String)
    /// TLS is up on the client's leg.
    case clientSecured
    /// Something about a leg for the trace alone, with details.
    case noted(LegID, EventRow.Kind, String)
}
