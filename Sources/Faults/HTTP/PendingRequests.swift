/// Requests that went on unjudged and are not answered, which a gate that begins behind them has to
/// know.
public struct PendingRequests {
    /// Most that are remembered.
    public static let maximum = 64

    /// In the order in which they went on.
    private(set) var exchanges: [LiveExchange] = []

    /// None.
    public init() {}

    /// The last so many; nil where not as many are known.
    public func last(_ count: Int) -> PendingRequests? {
        guard count <= exchanges.count else { return nil }
        var rest = self
        rest.exchanges.removeFirst(exchanges.count - count)
        return rest
    }

    mutating func append(_ exchange: LiveExchange) {
        if exchanges.count == Self.maximum { exchanges.removeFirst() }
        exchanges.append(exchange)
    }

    mutating func removeAll() { exchanges.removeAll(keepingCapacity: true) }
}
