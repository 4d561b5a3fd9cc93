/// What all connections of one proxy share.
struct ProxyResources: Sendable {
    /// The file descriptors they may have.
    let descriptors = DescriptorBudget()
    /// The sockets that lead to the proxy itself.
    let ownSockets = OwnSockets()
}
