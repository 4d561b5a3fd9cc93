/// What all connections of a capture share.
struct Ledger: Sendable {
    let limits: StreamLimits
    var counts = StreamCounts()
    /// What everything that waits costs, in bytes.
    var cost = 0
    /// Endpoints to which connections were seen, at most ``StreamLimits/servers``.
    private(set) var servers: Set<Endpoint> = []

    init(limits: StreamLimits) { self.limits = limits }

    /// Keeps an end that is a server beyond doubt.
    mutating func remember(server: Endpoint) {
        guard servers.count < limits.servers else { return }
        servers.insert(server)
    }
}
