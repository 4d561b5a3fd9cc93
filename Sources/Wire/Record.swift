/// One thing that is written to a trace, in the order in which it happened.
public enum Record: Hashable, Sendable {
    /// A client connected, or a conversation was found in a capture.
    case connection(ConnectionRow)
    /// A TCP connection was requested or accepted.
    case leg(LegRow)
    /// Bytes arrived.
    case chunk(Chunk)
    /// Something happened that is not bytes.
    case event(EventRow)
    /// Bytes are known to be missing.
    case gap(GapRow)
    /// A user marked this time.
    case mark(MarkRow)
    /// Tapedeck did something to the traffic on purpose.
    case fault(FaultRow)
    /// A rule was broken.
    case finding(FindingRow)
    /// A packet is kept as it was captured.
    case packet(PacketRow)
    /// What decrypts packets is kept.
    case secret(SecretRow)
}

/// One client connection and how it was recorded.
public struct ConnectionRow: Hashable, Sendable {
    /// What the client took Tapedeck for, or where the bytes come from.
    public enum Mode: String, Hashable, Sendable {
        /// The client uses Tapedeck as its proxy, of HTTP or SOCKS.
        case forward
        /// The client takes Tapedeck for the server.
        case reverse
        /// The client connected to a server, and the system redirected the connection to Tapedeck.
        case transparent
        /// Passive capture: the bytes were captured in transit, and both legs are the ends of one
        /// TCP connection.
        case capture
        /// The bytes were synthesized from an archive of exchanges, which has none.
        case archive
    }

    /// Number of the connection.
    public var id: ConnectionID
    /// When it was accepted.
    public var at: Instant
    /// Address the client connected to, `HOST:PORT`.
    public var listener: String
    /// Address the client connected from, `HOST:PORT`.
    public var client: String
    /// What the client took Tapedeck for.
    public var mode: Mode

    /// A connection row with these values.
    public init(id: ConnectionID, at: Instant, listener: String, client: String, mode: Mode) {
        self.id = id
        self.at = at
        self.listener = listener
        self.client = client
        self.mode = mode
    }
}

/// One TCP connection: the client's, or one to a server.
public struct LegRow: Hashable, Sendable {
    /// Number of the leg.
    public var id: LegID
    /// The connection it belongs to.
    public var connection: ConnectionID
    /// Who is at the other end.
    public var peer: Peer
    /// When it was accepted or requested.
    public var at: Instant
    /// Host name or IP address of the other end, without brackets.
    public var host: String
    /// TCP port of the other end, in 0...65535.
    public var port: Int
    /// Whether TLS is to be used from its first byte on, inside any tunnel; nil where that is
    /// unknown before a ``EventRow/Kind/tls`` event.
    public var isTLS: Bool?

    /// A leg row with these values.
    public init(
        id: LegID, connection: ConnectionID, peer: Peer, at: Instant, host: String, port: Int,
        isTLS: Bool? = nil
    ) {
        self.id = id
        self.connection = connection
        self.peer = peer
        self.at = at
        self.host = host
        self.port = port
        self.isTLS = isTLS
    }
}

/// Something that happened to a connection or a session and is not bytes.
public struct EventRow: Hashable, Sendable {
    /// What happened.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A server leg is connected; `detail` is the address that answered.
        case opened
        /// The peer closed its side, and may still receive.
        case ended
        /// The leg is closed; `detail` is the reason (`closed`, `reset`, `timeout` …).
        case closed
        /// A server leg could not be connected; `detail` is the reason.
        case refused
        /// TLS is established on the leg; `detail` has version, cipher, server name and ALPN.
        case tls
        /// The TLS handshake on the leg failed; `detail` is the cause.
        case tlsFailed = "tls-failed"
        /// The client named its server by SOCKS, and what follows is for that one; `detail` has the
        /// version and the server. The bytes of the negotiation are in no chunk.
        case socks
        /// A server leg leads through another proxy; `detail` has that one's address, without
        /// credentials. What is said to that proxy is in no chunk.
        case upstream
        /// The TLS of this host is passed through; `detail` is the host.
        case passthrough
        /// What follows on the connection is relayed without being read as a protocol.
        case raw
        /// Bytes that the leg's peer sent were not delivered; `detail` has whose and why. They are
        /// in the trace nevertheless.
        case undelivered
        /// The capture began after this connection did; `detail` has what is guessed of it.
        case joined
        /// What Tapedeck noticed about the session; `detail` has it.
        case warning
        /// What an add-on noted about the connection or the session; `detail` has its name first.
        case note
        /// The session ended; `detail` is how.
        case sessionEnded = "session-ended"
    }

    /// What happened.
    public var kind: Kind
    /// The connection it happened to, if any.
    public var connection: ConnectionID?
    /// The leg it happened to, if any.
    public var leg: LegID?
    /// When.
    public var at: Instant
    /// The details, as text; empty where the kind suffices.
    public var detail: String

    /// An event row with these values.
    public init(
        _ kind: Kind, connection: ConnectionID? = nil, leg: LegID? = nil, at: Instant,
        detail: String = ""
    ) {
        self.kind = kind
        self.connection = connection
        self.leg = leg
        self.at = at
        self.detail = detail
    }
}
