/// Requests that were forwarded unjudged and are not answered, which a gate that starts after them
/// needs.
public struct PendingRequests {
    /// The maximum number that is kept.
    public static let maximum = 64

    /// In the order in which they were forwarded.
    private(set) var exchanges: [LiveExchange] = []

    /// None.
    public init() {}

    /// The last `count`; nil where fewer are known.
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
