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
        let rows = span
        for place in rows.indices {
            switch Numbered(rows[place]) {
            case .exchange(let number): exchanges.append((number, place))
            case .body(let number): bodies.append((number, place))
            case .other: order.append(place)
            }
        }
        exchanges.sort { $0 < $1 }
        bodies.sort { $0 < $1 }
        order.append(contentsOf: exchanges.lazy.map(\.place))
        order.append(contentsOf: bodies.lazy.map(\.place))
        return order
    }
}

/// The table of a row that is inserted by its number, and that number.
private enum Numbered {
    case exchange(Int64)
    case body(Int64)
    case other

    init(_ row: borrowing DerivedRow) {
        self =
            switch row {
            case .exchange(let row): .exchange(row.id.rawValue)
            case .body(let row): .body(row.number)
            case .part, .openRosa, .caseBlock, .frame, .message, .command, .change, .note: .other
            }
    }
}
