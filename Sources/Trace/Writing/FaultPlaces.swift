internal import Storage
internal import Wire

/// Finds the chunks that faults are about.
///
/// Where the bytes follow the fault, its chunk is the next one of its connection and of the sender
/// of these bytes, otherwise the last one. What is recorded together is in one batch.
final class FaultPlaces {
    /// Whose chunk is looked for: that of one sender, or the next of any.
    private struct Way: Hashable {
        let connection: ConnectionID
        let sender: Peer?
    }

    private let last: Statement

    /// The number of chunks that are searched backwards for the last one of a connection: there is
    /// no index by connection, and distant chunks are unrelated to the fault.
    private static let reach: Int64 = 1_000

    init(_ db: Connection) throws(StorageFault) {
        last = try db.prepare(
            """
            SELECT id FROM chunk WHERE id >= ?2 AND connection_id = ?1 AND (?3 IS NULL OR sender = ?3)
            ORDER BY id DESC LIMIT 1
            """)
    }

    /// The chunks of those faults among `records` that have none, in order.
    ///
    /// `first` is the number that the first chunk among the records gets.
    func places(
        in records: ArraySlice<Record>, from first: Int64
    ) throws(StorageFault) -> ArraySlice<ChunkID?> {
        guard records.contains(where: \.isFault) else { return [] }
        var places: [ChunkID?] = []
        var latest: [Way: ChunkID] = [:]
        var waiting: [Way: [Int]] = [:]
        var next = first
        for record in records {
            switch record {
            case .chunk(let chunk):
                let id = ChunkID(next)
                next += 1
                for sender in [chunk.sender, nil] {
                    let way = Way(connection: chunk.connection, sender: sender)
                    latest[way] = id
                    for place in waiting.removeValue(forKey: way) ?? [] { places[place] = id }
                }
            case .fault(let fault) where fault.chunk == nil:
                var place: ChunkID?
                if let connection = fault.connection {
                    let way = Way(connection: connection, sender: fault.sender)
                    if fault.isAhead {
                        waiting[way, default: []].append(places.count)
                    } else if let known = latest[way] {
                        place = known
                    } else {
                        place = try lastChunk(of: way, before: first)
                    }
                }
                places.append(place)
            default: break
            }
        }
        for (way, indexes) in waiting {
            let found: ChunkID?
            if let known = latest[way] {
                found = known
            } else {
                found = try lastChunk(of: way, before: first)
            }
            for place in indexes { places[place] = found }
        }
        return places[...]
    }

    private func lastChunk(
        of way: Way, before first: Int64
    ) throws(StorageFault) -> ChunkID? {
        last.bind(1, way.connection.rawValue)
        last.bind(2, max(1, first - Self.reach))
        last.bind(3, way.sender.map { Int64($0.rawValue) })
        defer { last.reset() }
        return try last.step() ? ChunkID(last.integer(0)) : nil
    }
}
