internal import Trace
internal import Wire

/// Both sides of all exchanges in the order of their numbers, read by a thread ahead of whoever
/// writes them.
final class HARSides {
    private struct Batch: Sendable {
        /// The last number that it may have.
        var last: Int64 = .max
        var sides: [Side] = []
    }

    private struct Side: Sendable {
        let id: Int64
        let sender: Peer
        let side: ReplaySide
    }

    /// Sides that are passed on together, each with its content.
    private static let together = 64

    private let batches: RowBatches<Batch>
    private let isDropped = Flagged()
    private var batch = Batch()
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
            var batch = Batch()
            // One query for all: numbers may be far apart.
            try reader.sides(
                from: ExchangeID(1), count: Int(clamping: last), using: &spares
            ) { id, sender, side in
                if batch.sides.count >= Self.together, batch.sides.last?.id != id.rawValue {
                    batch.last = id.rawValue - 1
                    put(batch)
                    batch = Batch()
                }
                batch.sides.append(Side(id: id.rawValue, sender: sender, side: side))
                return !isDropped.isSet
            }
            put(batch)
        }
        batch = try batches.next() ?? Batch()
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
            batch = try batches.next() ?? Batch()
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
