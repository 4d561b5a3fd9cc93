public import Faults
public import Interception
public import Wire

/// A place where a proxy listens, and what it is there.
public struct ProxyListener: Hashable, Sendable {
    /// Host name or address to listen on.
    public var host: String
    /// Port to listen on; 0 selects a free one.
    public var port: Int
    /// What is done with the traffic of its clients.
    public var relay: RelaySettings
    /// A bound socket that it listens on in place of one of its own; nil for none.
    public var socket: Int32?

    /// Whether it takes connections to addresses that are not this machine's, which rules of the system
    /// lead to it (TPROXY of Linux); that needs the right to change the network (CAP_NET_ADMIN).
    public var takesAnyAddress = false

    /// A listener at `host` and `port`.
    public init(host: String, port: Int, relay: RelaySettings) {
        self.host = host
        self.port = port
        self.relay = relay
    }
}

/// The settings of a proxy.
public struct ProxyConfiguration: Sendable {
    /// Where it listens; at least one.
    public var listeners: [ProxyListener]
    /// How servers are connected to.
    public var outward = Outward()
    /// Addresses that stand for names, in connections that are redirected.
    public var names = NameTable()
    /// The certificates that clients are shown.
    public var leaves: LeafCache
    /// What servers have to show.
    public var trust: ServerTrust
    /// How long a handshake may take, in seconds.
    public var handshakeSeconds: Int64
    /// How long a connection to a server may take, in seconds.
    public var connectSeconds: Int64
    /// The maximum number of bytes of peers that all connections may hold together; beyond it those
    /// that hold most are not read from.
    public var heldBytes: Int
    /// How long the start of a request's head is held until the rest of it comes, in seconds; it is
    /// then forwarded unchanged.
    public var headSeconds: Int64
    /// The rules that judge what passes; nil for none, which costs nothing.
    public var faults: FaultSession?
    /// The session, as rules see it.
    public var session: SessionID
    /// The part of the proxy's own pages about the client that asks, by what is known of its address, its
    /// `User-Agent`, and the time in seconds since 1970.
    public var clientPart: @Sendable (ClientTrust, String?, Int64) -> String = { _, _, _ in "" }
    /// Receives a line of text when something needs attention, from any thread.
    public var notice: @Sendable (String) -> Void

    /// A configuration with these values.
    public init(
        listeners: [ProxyListener], leaves: LeafCache, trust: ServerTrust,
        handshakeSeconds: Int64 = 10, connectSeconds: Int64 = 15, headSeconds: Int64 = 30,
        heldBytes: Int = 32 << 20,
        faults: FaultSession? = nil,
        session: SessionID = SessionID(1),
        notice: @escaping @Sendable (String) -> Void
    ) {
        self.listeners = listeners
        self.leaves = leaves
        self.trust = trust
        self.handshakeSeconds = handshakeSeconds
        self.connectSeconds = connectSeconds
        self.heldBytes = heldBytes
        self.headSeconds = headSeconds
        self.faults = faults
        self.session = session
        self.notice = notice
    }
}
