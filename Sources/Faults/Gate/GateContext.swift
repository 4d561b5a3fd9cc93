public import Wire

/// The context of the connection that a gate judges.
public struct GateContext: Hashable, Sendable {
    /// Where requests without a host go: the server of a reverse proxy or of a tunnel.
    public struct Server: Hashable, Sendable {
        /// Host name or address, without brackets.
        public var host: String
        /// TCP port.
        public var port: Int
        /// Whether it uses TLS.
        public var isTLS: Bool

        /// A server with these values.
        public init(host: String, port: Int, isTLS: Bool) {
            self.host = host
            self.port = port
            self.isTLS = isTLS
        }
    }

    /// The connection.
    public var connection: ConnectionID
    /// The session.
    public var session: SessionID
    /// Address of the client, without port.
    public var client: String
    /// The only server there is; nil in a forward proxy outside of tunnels.
    public var server: Server?
    /// Whether the client uses TLS.
    public var isClientTLS: Bool
    /// The clock for the date of a local answer.
    public var clock: SessionClock

    /// A context with these values.
    public init(
        connection: ConnectionID, session: SessionID, client: String, server: Server? = nil,
        isClientTLS: Bool = false, clock: SessionClock = SessionClock(startedUnixNanoseconds: 0)
    ) {
        self.connection = connection
        self.session = session
        self.client = client
        self.server = server
        self.isClientTLS = isClientTLS
        self.clock = clock
    }
}
