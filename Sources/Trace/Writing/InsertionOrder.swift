internal import Dissection
internal import Wire

extension [DerivedRow] {
    /// The places of these rows in the order in which they are inserted: those of exchanges and bodies
    /// behind all others, by their numbers.
    ///
    /// They are decoded in the order in which messages end. A table that grows at its end alone has its
    /// last page written again by each transaction; one that grows before it has that page divided and
    /// those beside it written as well. Several rows of one exchange keep their order.
    var insertionOrder: [Int] {
        var order: [Int] = []
        var exchanges: [(number: Int64, place: Int)] = []
        var bodies: [(number: Int64, place: Int)] = []
        order.reserveCapacity(count)
        for (place, row) in enumerated() {
            switch row {
            case .exchange(let row): exchanges.append((row.id.rawValue, place))
            case .body(let row): bodies.append((row.number, place))
            default: order.append(place)
            }
        }
        exchanges.sort { $0 < $1 }
        bodies.sort { $0 < $1 }
        order.append(contentsOf: exchanges.lazy.map(\.place))
        order.append(contentsOf: bodies.lazy.map(\.place))
        return order
    }
}
