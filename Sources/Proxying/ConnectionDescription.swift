public import Wire

/// An open connection, for choosing one.
public struct ConnectionDescription: Hashable, Sendable {
    /// Number of the connection in the trace.
    public let id: ConnectionID
    /// Address of the client, `HOST:PORT`.
    public let client: String
    /// The only server it can mean, `HOST:PORT`; nil in a forward proxy outside of tunnels.
    public let server: String?
    /// When it was accepted.
    public let openedAt: Instant
    /// Whether WebSocket messages pass, between which messages can be sent.
    public let isWebSocket: Bool
}
