public import Wire

/// What a relay does with what it sees.
public struct RelaySettings: Hashable, Sendable {
    /// What the client takes the proxy for.
    public enum Mode: Hashable, Sendable {
        /// An HTTP proxy: targets are absolute, or tunnels are requested with CONNECT.
        case forward
        /// The server itself.
        case reverse(ServerAddress)
    }

    /// What the client takes the proxy for.
    public var mode: Mode
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
    /// The pages of ``OwnPage/host`` in a forward proxy, by path; where it is empty that is a host
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
