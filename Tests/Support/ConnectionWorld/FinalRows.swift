import Dissection
import Wire

/// Rows as they are at the end, of exchanges the last alone.
///
/// Of rows that do not change a digest is kept, which tells one from any other: a few bytes of input
/// may make a hundred thousand frames.
struct FinalRows {
    /// Whether rows are kept, too, to be shown where they differ.
    let keepsRows: Bool
    private var last: [ExchangeID: ExchangeRow] = [:]
    private var digests: [Int] = []
    private var kept: [DerivedRow] = []

    init(keepsRows: Bool) { self.keepsRows = keepsRows }

    /// The exchanges in the order of their numbers: each stands where it was first mentioned, and
    /// when that was depends on when rows were asked for.
    var exchanges: [ExchangeRow] {
        last.keys.sorted().compactMap { last[$0] }
    }

    /// Takes the rows that come next, and leaves none.
    mutating func take(_ rows: inout [DerivedRow]) {
        for row in rows { take(row) }
        rows.removeAll(keepingCapacity: true)
    }

    /// Takes the row that comes next.
    mutating func take(_ row: DerivedRow) {
        if case .exchange(let exchange) = row {
            last[exchange.id] = exchange
            return
        }
        digests.append(row.hashValue)
        if keepsRows { kept.append(row) }
    }

    /// Puts the rows in an order that does not depend on when they came.
    mutating func sort() {
        let order = digests.indices.sorted { digests[$0] < digests[$1] }
        if keepsRows { kept = order.map { kept[$0] } }
        digests = order.map { digests[$0] }
    }

    /// Says where these rows and others part; nil where they are the same.
    func difference(_ other: FinalRows) -> String? {
        if digests != other.digests {
            let place = Self.parting(digests, other.digests)
            let counts = "row \(place) of \(digests.count) and \(other.digests.count)"
            guard keepsRows else { return counts + "; TAPEDECK_WORLD shows both" }
            return "\(counts): \(Self.text(kept, place)) -- \(Self.text(other.kept, place))"
        }
        let (own, others) = (exchanges, other.exchanges)
        guard own != others else { return nil }
        let place = Self.parting(own, others)
        return "exchange \(place) of \(own.count) and \(others.count): "
            + "\(Self.text(own, place)) -- \(Self.text(others, place))"
    }

    private static func parting<Row: Equatable>(_ a: [Row], _ b: [Row]) -> Int {
        zip(a, b).enumerated().first { $1.0 != $1.1 }?.offset ?? min(a.count, b.count)
    }

    private static func text<Row>(_ rows: [Row], _ place: Int) -> String {
        place < rows.count ? String("\(rows[place])".prefix(600)) : "nothing"
    }
}
