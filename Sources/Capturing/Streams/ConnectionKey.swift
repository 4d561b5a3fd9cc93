/// The two endpoints of a connection in a canonical order, so that both directions have one key.
struct ConnectionKey: Hashable, Sendable {
    let lower: Endpoint
    let higher: Endpoint

    init(_ segment: TCPSegment) {
        let isOrdered = segment.source.precedes(segment.destination)
        lower = isOrdered ? segment.source : segment.destination
        higher = isOrdered ? segment.destination : segment.source
    }
}

extension Endpoint {
    /// An order of all ends; it means nothing else.
    fileprivate func precedes(_ other: Endpoint) -> Bool {
        (port, address.low, address.high, address.isVersion4 ? 1 : 0)
            < (other.port, other.address.low, other.address.high, other.address.isVersion4 ? 1 : 0)
    }
}
