internal import Storage
internal import Trace
internal import Wire

/// What the receivers of a connection got, read from the chunks as it is needed.
///
/// Places are counted from the start of a stream: what one sender's receiver got over one leg. Of
/// each chunk a few words are in memory, and the bytes of one.
final class ConnectionBytes {
    /// What one sender's receiver got over one leg.
    struct Stream: Hashable {
        var sender: Int64
        var leg: Int64
    }

    /// A chunk, and which part of its stream it is.
    struct Piece {
        var chunk: Int64
        var stream: Stream
        /// Places of its bytes in the stream.
        var range: Range<Int>
        var hasPatches: Bool
    }

    /// The chunks in their order.
    private(set) var pieces: [Piece] = []
    private var indices: [Int64: Int] = [:]
    private var streams: [Stream: [Int]] = [:]
    private let bytes: Statement
    private let patches: Statement
    private var last: (chunk: Int64, bytes: [UInt8])?

    /// The bytes of connection `id` of the database `schema`, of which ``RowsByConnection`` were
    /// made.
    init(_ db: Connection, _ id: ConnectionID, of schema: String) throws {
        bytes = try db.prepare("SELECT bytes FROM \(schema).chunk WHERE id = ?")
        patches = try db.prepare(
            """
            SELECT "offset", removed, inserted, reason FROM \(schema).patch
            WHERE id >= \(Tables.share) * ?1 AND id < \(Tables.share) * (?1 + 1)
            ORDER BY id
            """)
        let statement = try db.prepare(
            """
            SELECT chunk.id, sender, leg_id, length(bytes),
              EXISTS (SELECT 1 FROM \(schema).patch p
               WHERE p.id >= \(Tables.share) * chunk.id
                 AND p.id < \(Tables.share) * (chunk.id + 1))
            FROM \(RowsByConnection.source("chunk", of: schema)) ORDER BY number.id
            """)
        statement.bind(1, id.rawValue)
        while try statement.step() {
            let chunk = statement.integer(0)
            let stream = Stream(sender: statement.integer(1), leg: statement.integer(2))
            let start = streams[stream]?.last.map { pieces[$0].range.upperBound } ?? 0
            let hasPatches = statement.integer(4) != 0
            // A patch that does not fit is skipped, so that the outcome has to be scanned.
            let count = hasPatches ? try received(chunk, true).count : Int(statement.integer(3))
            indices[chunk] = pieces.count
            streams[stream, default: []].append(pieces.count)
            pieces.append(
                Piece(
                    chunk: chunk, stream: stream, range: start..<start + count,
                    hasPatches: hasPatches))
        }
    }

    /// All streams, in the order of their first chunks.
    var allStreams: [Stream] { streams.keys.sorted { ($0.leg, $0.sender) < ($1.leg, $1.sender) } }

    /// Number of bytes of a stream.
    func count(_ stream: Stream) -> Int {
        streams[stream]?.last.map { pieces[$0].range.upperBound } ?? 0
    }

    /// The place of `offset` in what the receiver got of `chunk`.
    func place(_ chunk: Int64?, _ offset: Int64) -> (stream: Stream, place: Int)? {
        guard let chunk, let index = indices[chunk] else { return nil }
        let piece = pieces[index]
        return (piece.stream, piece.range.lowerBound + min(Int(max(0, offset)), piece.range.count))
    }

    /// The bytes of a part of a stream.
    func read(_ stream: Stream, _ range: Range<Int>) throws -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(range.count)
        let list = streams[stream] ?? []
        var (low, high) = (0, list.count)
        while low < high {
            let middle = (low + high) / 2
            if pieces[list[middle]].range.upperBound <= range.lowerBound {
                low = middle + 1
            } else {
                high = middle
            }
        }
        while low < list.count, pieces[list[low]].range.lowerBound < range.upperBound {
            let piece = pieces[list[low]]
            let part = range.clamped(to: piece.range)
            if !part.isEmpty {
                let bytes = try received(piece.chunk, piece.hasPatches)
                let start = piece.range.lowerBound
                result += bytes[part.lowerBound - start..<part.upperBound - start]
            }
            low += 1
        }
        return result
    }

    /// What was read of a chunk, before any patch.
    func raw(_ chunk: Int64) throws -> [UInt8] {
        bytes.bind(1, chunk)
        defer { bytes.reset() }
        return try bytes.step() ? bytes.bytes(0) : []
    }

    /// The patches of a chunk.
    func patches(of chunk: Int64) throws -> [Patch] {
        patches.bind(1, chunk)
        var found: [Patch] = []
        while try patches.step() {
            found.append(
                Patch(
                    offset: Int(patches.integer(0)), removed: Int(patches.integer(1)),
                    inserted: patches.bytes(2),
                    reason: Patch.Reason(rawValue: patches.string(3)) ?? .fault))
        }
        return found
    }

    private func received(_ chunk: Int64, _ hasPatches: Bool) throws -> [UInt8] {
        if let last, last.chunk == chunk { return last.bytes }
        let raw = try raw(chunk)
        let bytes = hasPatches ? Patch.apply(try patches(of: chunk), to: raw) : raw
        last = (chunk, bytes)
        return bytes
    }
}
