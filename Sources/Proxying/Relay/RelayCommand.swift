public import Wire

/// Something that the sockets of one connection are to do.
public enum RelayCommand: Hashable, Sendable {
    /// Write this to the trace.
    case record(Record)
    /// Connect a new leg; TLS is started at once where the address requires it.
    case connect(LegID, ServerAddress)
    /// Connect a new leg to a proxy, and have that connect the server where `isTunnel`; TLS is started
    /// with the server at once where the address requires it.
    case connectThrough(LegID, ServerAddress, UpstreamProxy, isTunnel: Bool)
    /// Send bytes on a leg.
    case send(LegID, [UInt8])
    /// Send nothing more on a leg, after what was sent before.
    case end(LegID)
    /// Close a leg after what was sent before, by a reset where requested.
    case close(LegID, isReset: Bool)
    /// Answer the TLS handshake of the client, which begins with these bytes, as `host`.
    ///
    /// With an expired certificate where a fault requires it.
    case secureClient(host: String, hello: [UInt8], isExpired: Bool = false)
    /// Start TLS on a server leg that is connected.
    case secureServer(LegID, serverName: String)
    /// Stop reading from the client until it is resumed.
    case pauseClient
    /// Read from the client again.
    case resumeClient
    /// Stop reading from a peer, on all its legs, until it is resumed: its bytes are held back.
    case holdBack(Peer)
    /// Resume reading from a peer.
    case letCome(Peer)
    /// Show this to the user, once for all connections.
    case notice(String)
    /// Give the event ``RelayEvent/woke`` at this time.
    case wake(at: Instant)

    /// Whether it is for the trace.
    var isRecord: Bool { if case .record = self { true } else { false } }
}
