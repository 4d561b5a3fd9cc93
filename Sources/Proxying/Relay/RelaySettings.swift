public import Wire

/// What a relay does with what it sees.
public struct RelaySettings: Hashable, Sendable {
    /// What the client takes the proxy for.
    public enum Mode: Hashable, Sendable {
        /// A proxy: of HTTP, where targets are absolute, or tunnels are requested with CONNECT, or of
        /// SOCKS, by ``RelaySettings/ways``.
        case forward
        /// The server itself.
        case reverse(ServerAddress)
        /// Nothing: the system redirects its connections.
        case transparent
    }

    /// The protocols by which clients of a forward proxy name their servers.
    public struct Ways: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt8

        /// The ways of these bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// HTTP: absolute targets and CONNECT.
        public static let http = Ways(rawValue: 1)
        /// SOCKS, versions 4, 4a and 5.
        public static let socks = Ways(rawValue: 2)
        /// Each of them, by the first byte of the client.
        public static let all: Ways = [.http, .socks]

        /// What the proxy is.
        var text: String {
            switch self {
            case .http: "an HTTP proxy"
            case .socks: "a SOCKS proxy"
            default: "an HTTP and SOCKS proxy"
            }
        }
    }

    /// What the client takes the proxy for.
    public var mode: Mode
    /// How clients of a forward proxy name their servers.
    public var ways = Ways.all
    /// The user and password that clients of SOCKS have to give; nil where any will do, or none.
    public var credentials: SOCKSCredentials?
    /// The proxies between this one and servers.
    public var upstream = UpstreamRules()
    /// Whether the offer of HTTP/3 in `Alt-Svc` is taken out of responses.
    public var stripsAltSvc = false
    /// Whether a reverse proxy leaves `Host`, `Origin` and `Location` alone.
    public var keepsHost: Bool
    /// Hosts that are recorded; all where empty.
    public var only: [HostPattern]
    /// Hosts whose TLS is left alone.
    public var passthrough: [HostPattern]
    /// The maximum number of bytes of a head, or of the start of a tunnel, that are held back.
    public var heldBytes: Int

    /// Names that `Host` may have in a reverse proxy, besides those that are resolved without a
    /// name server and those of the server; nil for any.
    public var hosts: [HostPattern]?
    /// The clock for the date of a local answer.
    public var clock: SessionClock
    /// The pages of ``OwnPage/hosts`` in a forward proxy, by path; where it is empty that is a host
    /// like any other.
    public var ownPages: [String: OwnPage] = [:]

    /// Settings with these values.
    public init(
        mode: Mode, keepsHost: Bool = false, only: [HostPattern] = [],
        passthrough: [HostPattern] = [], heldBytes: Int = 256 << 10,
        hosts: [HostPattern]? = nil, clock: SessionClock = SessionClock(startedUnixNanoseconds: 0)
    ) {
        self.mode = mode
        self.keepsHost = keepsHost
        self.only = only
        self.passthrough = passthrough
        self.heldBytes = heldBytes
        self.hosts = hosts
        self.clock = clock
    }

    /// Whether traffic with `host` is recorded.
    func records(_ host: String) -> Bool {
        only.isEmpty || only.contains { $0.matches(host) }
    }

    /// Whether the TLS of `host` is left alone.
    func passes(_ host: String) -> Bool { passthrough.contains { $0.matches(host) } }
}
