internal import Trace
internal import Wire

/// Both sides of all exchanges in the order of their numbers, read by a thread ahead of whoever
/// writes them.
final class HARSides {
    private struct Batch: Sendable {
        /// The last number that was looked at.
        var last: Int64
        var sides: [Side] = []
    }

    private struct Side: Sendable {
        let id: Int64
        let sender: Peer
        let side: ReplaySide
    }

    /// Exchanges that are passed on together: of each up to two contents are held.
    private static let together = 32

    private let batches: RowBatches<Batch>
    private let isDropped = Flagged()
    private var batch = Batch(last: 0)
    private var next = 0

    /// Begins to read the sides of the exchanges of the trace at `path` with numbers up to `last`.
    ///
    /// Blocks until the first are there: what is read later with other connections is not older.
    init(path: String, upTo last: Int64) throws(TraceError) {
        let isDropped = isDropped
        batches = RowBatches { (put) throws(TraceError) in
            let reader = try ReplayReader(path: path)
            try reader.holdSnapshot()
            var spares: [[UInt8]] = []
            var first: Int64 = 1
            while first <= last, !isDropped.isSet {
                var batch = Batch(last: first + Int64(Self.together) - 1)
                try reader.sides(from: ExchangeID(first), count: Self.together, using: &spares) {
                    batch.sides.append(Side(id: $0.rawValue, sender: $1, side: $2))
                    return true
                }
                put(batch)
                first += Int64(Self.together)
            }
        }
        batch = try batches.next() ?? Batch(last: .max)
    }

    deinit {
        isDropped.set()
        batches.drop()
    }

    /// The sides of an exchange as far as they were seen; of one that follows those before.
    func sides(
        of id: ExchangeID
    ) throws(TraceError) -> (request: ReplaySide?, response: ReplaySide?) {
        while batch.last < id.rawValue {
            batch = try batches.next() ?? Batch(last: .max)
            next = 0
        }
        var found: (request: ReplaySide?, response: ReplaySide?)
        while next < batch.sides.count, batch.sides[next].id <= id.rawValue {
            let side = batch.sides[next]
            next += 1
            guard side.id == id.rawValue else { continue }
            if side.sender == .client {
                found.request = side.side
            } else {
                found.response = side.side
            }
        }
        return found
    }
}
