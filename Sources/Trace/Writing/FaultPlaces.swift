internal import Storage
internal import Wire

/// Finds the chunks that faults are about.
///
/// A fault directly precedes the bytes it is about, so its chunk is the next one of its connection,
/// or where none follows in the batch, the last one. Where nothing of that chunk was forwarded and
/// its replacement is a separate chunk, it is that one.
final class FaultPlaces {
    private let last: Statement

    /// The number of chunks that are searched backwards for the last one of a connection: there is
    /// no index by connection, and distant chunks are unrelated to the fault.
    private static let reach: Int64 = 1_000

    init(_ db: Connection) throws(StorageFault) {
        last = try db.prepare(
            "SELECT id FROM chunk WHERE id >= ?2 AND connection_id = ?1 ORDER BY id DESC LIMIT 1")
    }

    /// The chunks of those faults among `records` that have none, in order.
    ///
    /// `first` is the number that the first chunk among the records gets.
    func places(
        in records: ArraySlice<Record>, from first: Int64
    ) throws(StorageFault) -> ArraySlice<ChunkID?> {
        guard records.contains(where: \.isFault) else { return [] }
        var places: [ChunkID?] = []
        var latest: [ConnectionID: ChunkID] = [:]
        var waiting: [ConnectionID: [Int]] = [:]
        // Faults whose chunk was not forwarded, and its sender.
        var gone: [ConnectionID: (sender: Peer, places: [Int])] = [:]
        var next = first
        for record in records {
            switch record {
            case .chunk(let chunk):
                let id = ChunkID(next)
                next += 1
                latest[chunk.connection] = id
                let started = waiting.removeValue(forKey: chunk.connection) ?? []
                for place in started { places[place] = id }
                let before = gone.removeValue(forKey: chunk.connection)
                if chunk.isGone {
                    let others = before?.sender == chunk.sender ? before?.places ?? [] : []
                    if !started.isEmpty || !others.isEmpty {
                        gone[chunk.connection] = (chunk.sender, others + started)
                    }
                } else if let before, before.sender == chunk.sender, chunk.origin == .tapedeck {
                    for place in before.places { places[place] = id }
                }
            case .fault(let fault) where fault.chunk == nil:
                if let connection = fault.connection {
                    if waiting[connection] == nil { gone[connection] = nil }
                    waiting[connection, default: []].append(places.count)
                }
                places.append(nil)
            default: break
            }
        }
        for (connection, indexes) in waiting {
            let found: ChunkID?
            if let known = latest[connection] {
                found = known
            } else {
                found = try lastChunk(of: connection, before: first)
            }
            for place in indexes { places[place] = found }
        }
        return places[...]
    }

    private func lastChunk(
        of connection: ConnectionID, before first: Int64
    ) throws(StorageFault) -> ChunkID? {
        last.bind(1, connection.rawValue)
        last.bind(2, max(1, first - Self.reach))
        defer { last.reset() }
        return try last.step() ? ChunkID(last.integer(0)) : nil
    }
}

extension Chunk {
    /// Whether nothing of it was forwarded.
    fileprivate var isGone: Bool {
        guard patches.count == 1, let patch = patches.first else { return false }
        return patch.removed == bytes.count && patch.inserted.isEmpty
    }
}
