public import Wire

/// Something that the sockets of one connection are to do.
public enum RelayCommand: Hashable, Sendable {
    /// Write this to the trace.
    case record(Record)
    /// Connect a new leg; TLS is started at once where the address says so.
    case connect(LegID, ServerAddress)
    /// Send bytes on a leg.
    case send(LegID, [UInt8])
    /// Send nothing more on a leg, after what was sent before.
    case end(LegID)
    /// Close a leg after what was sent before; by a reset if told so.
    case close(LegID, isReset: Bool)
    /// Answer the TLS handshake of the client, which begins with these bytes, as `host`.
    ///
    /// With a certificate that has expired where a fault wants it so.
    case secureClient(host: String, hello: [UInt8], isExpired: Bool = false)
    /// Start TLS on a server leg that is connected.
    case secureServer(LegID, serverName: String)
    /// Read no more from the client until told otherwise.
    case pauseClient
    /// Read from the client again.
    case resumeClient
    /// Read no more from a peer, on all its legs, until told otherwise: its bytes are held back.
    case holdBack(Peer)
    /// Read from a peer again.
    case letCome(Peer)
    /// Give the event ``RelayEvent/woke`` at this moment.
    case wake(at: Instant)
}
